import type { Engine } from '../engine/engine.ts'
import { decodeMessage } from '../messages/encoding.ts'
import { HEARTBEAT_MS } from '../messages/node-state.ts'

/** Silence after which a front does not count. */
const SILENT_MS = HEARTBEAT_MS * 10

/** Notices the other fronts of a fleet. */
export class OtherFronts {
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
