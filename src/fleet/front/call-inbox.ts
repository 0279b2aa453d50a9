import type { RunEvent } from '../../core/runs/run-call.ts'
import type { Engine, EngineMessage } from '../engine/engine.ts'
import { isStored } from '../engine/stored-acks.ts'
import { isFact, type CallReply } from '../messages/call-messages.ts'
import { decodeMessage } from '../messages/encoding.ts'
import { nameEndAcks } from '../messages/end-ack.ts'

/** A reply for a call, or a note of the engine: no worker listens, or the announced end is stored. */
export type Arrival = CallReply | { t: 'unheard' } | { t: 'stored' }

/** Replies of workers to the calls of one front: `a.<front>.<token>`. */
export class CallInbox {
  #waiting = new Map<string, (arrival: Arrival) => void>()
  #ends: (() => void)[]

  constructor(engine: Engine, front: string) {
    this.#ends = [
      engine.subscribe(`a.${front}.*`, (message) => this.#receiveReply(message)),
      engine.subscribe(nameEndAcks(front), (message) => this.#receiveAck(message)),
    ]
  }

  open(token: string, handle: (arrival: Arrival) => void): () => void {
    this.#waiting.set(token, handle)
    return () => void this.#waiting.delete(token)
  }

  stop(): void {
    for (const end of this.#ends) end()
  }

  #receiveReply({ subject, body }: EngineMessage): void {
    const handle = this.#waiting.get(readToken(subject))
    if (!handle) return
    const reply = decodeMessage(body)
    if (reply && isCallReply(reply)) handle(reply)
    // The engine answers a message without a receiver with an empty one.
    else if (body.length === 0) handle({ t: 'unheard' })
  }

  /** An end that the engine refuses is explained by the worker. */
  #receiveAck({ subject, body }: EngineMessage): void {
    const handle = this.#waiting.get(readToken(subject))
    if (handle && isStored(body)) handle({ t: 'stored' })
  }
}

function readToken(subject: string): string {
  return subject.slice(subject.lastIndexOf('.') + 1)
}

/** Checks the shape of a reply, as far as fronts read it. */
function isCallReply(message: object): message is CallReply {
  const { t, n, fact, answer, start } = message as { [name: string]: unknown }
  if (t === 'accepted') return typeof start === 'string'
  if (t === 'fact') return Number.isSafeInteger(n) && isFact(Object(fact) as RunEvent)
  if (t === 'ending' || t === 'end') return isAnswer(answer)
  return t === 'busy' || t === 'taken' || t === 'unsure'
}

function isAnswer(value: unknown): boolean {
  if (typeof value !== 'object' || value === null) return false
  if ('error' in value) {
    const { error } = value
    return typeof error === 'object' && error !== null && 'code' in error && 'message' in error
  }
  return 'result' in value || 'ref' in value
}
