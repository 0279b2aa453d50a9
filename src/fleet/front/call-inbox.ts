import type { Engine } from '../engine/engine.ts'
import type { CallReply } from '../messages/call-messages.ts'
import { decodeMessage } from '../messages/encoding.ts'
import { isCallReply } from '../messages/parse-reply.ts'

/** A reply for a call, or the note of the engine that no worker listens. */
export type Arrival = CallReply | { t: 'unheard' }

/** Replies of workers to the calls of one front: `a.<front>.<token>`. */
export class CallInbox {
  #waiting = new Map<string, (arrival: Arrival) => void>()
  #stop: () => void

  constructor(engine: Engine, front: string) {
    const prefix = `a.${front}.`
    this.#stop = engine.subscribe(`${prefix}*`, ({ subject, body }) => {
      const handle = this.#waiting.get(subject.slice(prefix.length))
      if (!handle) return
      const reply = decodeMessage(body)
      if (reply && isCallReply(reply)) handle(reply)
      // The engine answers a message without a receiver with an empty one.
      else if (body.length === 0) handle({ t: 'unheard' })
    })
  }

  open(token: string, handle: (arrival: Arrival) => void): () => void {
    this.#waiting.set(token, handle)
    return () => void this.#waiting.delete(token)
  }

  stop(): void {
    this.#stop()
  }
}
