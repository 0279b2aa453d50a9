import type { Engine } from '../engine/engine.ts'
import { encodeMessage } from '../messages/encoding.ts'
import { HEARTBEAT_MS, type NodeState } from '../messages/node-state.ts'

/** Shortest time between two heartbeats, when the state changes often. */
const MIN_GAP_MS = 5

/** Reports the state of a node regularly, and when it changes. */
export class Heartbeat {
  #send: () => void
  #isLeaving = false
  #timer: NodeJS.Timeout
  #soon: NodeJS.Timeout | undefined

  constructor(engine: Engine, subject: string, describe: (beat: number) => NodeState) {
    let beat = 0
    this.#send = () => {
      const state = describe(++beat)
      const last = this.#isLeaving && { isLeaving: true, isDraining: true }
      engine.publish(subject, encodeMessage({ ...state, ...last }))
    }
    this.#timer = setInterval(this.#send, HEARTBEAT_MS)
    this.#send()
  }

  /** Reports a change soon. */
  change(): void {
    this.#soon ??= setTimeout(() => {
      this.#soon = undefined
      this.#send()
    }, MIN_GAP_MS)
  }

  stop(): void {
    this.#isLeaving = true
    clearInterval(this.#timer)
    clearTimeout(this.#soon)
    this.#send()
  }
}
