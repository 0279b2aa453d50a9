import type { Engine } from '../engine/engine.ts'
import { EngineTime } from './engine-time.ts'
import { FleetRateLimiter } from './fleet-rate-limiter.ts'
import { FleetUseCounter } from './fleet-use-counter.ts'
import { decodeMessage } from '../messages/encoding.ts'
import { HEARTBEAT_MS } from '../messages/node-state.ts'

/** Limits of callers that a front shares with the other fronts. */
export interface FleetLimits {
  rateLimiter: FleetRateLimiter
  useCounter: FleetUseCounter
  clock: EngineTime
  close(): Promise<void>
}

export async function openFleetLimits(
  engine: Engine,
  { front, callsPerSecond }: { front: string; callsPerSecond: number },
): Promise<FleetLimits> {
  const clock = new EngineTime(engine)
  await clock.sync()
  const others = new OtherFronts(engine, front)
  const rateLimiter = new FleetRateLimiter({
    engine,
    clock,
    callsPerSecond,
    isAlone: () => others.isEmpty,
  })
  const useCounter = new FleetUseCounter(engine, clock)
  return {
    rateLimiter,
    useCounter,
    clock,
    async close() {
      rateLimiter.stop()
      others.stop()
      clock.stop()
      await useCounter.flush()
    },
  }
}

/** Silence after which a front does not count. */
const SILENT_MS = HEARTBEAT_MS * 10

/** Notices the other fronts of a fleet. */
class OtherFronts {
  #heardAt = new Map<string, number>()
  #openedAt = performance.now()
  #stop: () => void

  constructor(engine: Engine, ownName: string) {
    this.#stop = engine.subscribe('hb.f.*', ({ subject, body }) => {
      const name = subject.slice('hb.f.'.length)
      if (name === ownName) return
      const { isLeaving } = (decodeMessage(body) ?? {}) as { isLeaving?: unknown }
      if (isLeaving === true) this.#heardAt.delete(name)
      else this.#heardAt.set(name, performance.now())
    })
  }

  /** True if no other front is heard, and there was time to hear one. */
  get isEmpty(): boolean {
    const now = performance.now()
    if (now - this.#openedAt < SILENT_MS) return false
    for (const [name, at] of this.#heardAt) if (now - at > SILENT_MS) this.#heardAt.delete(name)
    return this.#heardAt.size === 0
  }

  stop(): void {
    this.#stop()
  }
}
