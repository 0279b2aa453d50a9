import type { Engine } from '../engine/engine.ts'
import { readEngineClock } from '../keeper/engine-clock.ts'

const SYNC_MS = 60_000

/** The clock by which fronts share limits. */
export interface SharedClock {
  /** Milliseconds since 1970. */
  readonly now: number
}

/** The clock of the engine. Clocks of fronts may differ, and be set while they run. */
export class EngineTime implements SharedClock {
  #engine: Engine
  /** Difference to `performance.now()`. */
  #offset = Date.now() - performance.now()
  #timer: NodeJS.Timeout

  constructor(engine: Engine) {
    this.#engine = engine
    this.#timer = setInterval(() => void this.sync().catch(() => {}), SYNC_MS).unref()
  }

  get now(): number {
    return performance.now() + this.#offset
  }

  async sync(): Promise<void> {
    const askedAt = performance.now()
    const engineMs = await readEngineClock(this.#engine)
    this.#offset = engineMs - (askedAt + performance.now()) / 2
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}
