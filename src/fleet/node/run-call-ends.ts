import type { Engine } from '../engine/engine.ts'
import type { CallEnds, EndDetails } from '../messages/call-ends.ts'
import type { CallAnswer } from '../messages/call-messages.ts'
import { formatShowRun } from '../messages/format-show-run.ts'
import type { Objects } from '../objects/objects.ts'
import { declareInterrupted } from '../records/declare-interrupted.ts'
import {
  createEnd,
  readCallEnd,
  storeLateEnd,
  type CallEnd,
  type EncodedEnd,
} from '../records/run-end.ts'
import type { NodeIdentity } from './identity.ts'

interface EndsOptions {
  engine: Engine
  identity: NodeIdentity
  objects: Objects
}

/**
 * Ends of calls, stored with the record of their run in one message, so that the answer of a caller and
 * the record cannot differ.
 */
export class RunCallEnds implements CallEnds {
  #engine: Engine
  #identity: NodeIdentity
  #objects: Objects
  /** Records of runs that ended, whose calls have not. */
  #ended = new Map<string, EncodedEnd>()

  constructor({ engine, identity, objects }: EndsOptions) {
    this.#engine = engine
    this.#identity = identity
    this.#objects = objects
  }

  /** Keeps the record of a call's run until the call ends. */
  hold(call: string, end: EncodedEnd): void {
    this.#ended.set(call, end)
  }

  async write(
    call: string,
    answer: CallAnswer,
    { detached, ackAt }: EndDetails = {},
  ): Promise<boolean> {
    const record = this.#ended.get(call)
    const answered = record ? { ...record, answer } : this.#encode('completed', answer)
    const end = detached ? { ...answered, detached } : answered
    const existing = await createEnd(this.#engine, call, { end, ackAt })
    // An earlier try, which the engine did not answer in time, may have been stored.
    const isStored = !existing || (existing.node === end.node && existing.start === end.start)
    if (!isStored) await storeLateEnd(this.#engine, call, end)
    this.#ended.delete(call)
    return isStored
  }

  async read(call: string): Promise<CallAnswer | undefined> {
    const end = await readCallEnd(this.#engine, call)
    return end && toAnswer(call, end)
  }

  async declareInterrupted(call: string, reason: string): Promise<CallAnswer> {
    const answer = createInterruptedAnswer(call, reason)
    const { name: node, start } = this.#identity
    const by = { node, start }
    const options = { by, reason, objects: this.#objects, answer }
    const declared = await declareInterrupted(this.#engine, call, options)
    if (declared === 'declared') return answer
    if (declared !== 'unknown') return toAnswer(call, declared)
    // No run began, or the engine does not have its beginning yet.
    const end = this.#encode('interrupted', answer)
    const existing = await createEnd(this.#engine, call, { end })
    return existing ? toAnswer(call, existing) : answer
  }

  #encode(status: CallEnd['status'], answer: CallAnswer): CallEnd {
    const { name: node, start } = this.#identity
    return { node, start, status, answer }
  }
}

function toAnswer(call: string, { answer }: CallEnd): CallAnswer {
  return (
    (answer as CallAnswer | undefined) ?? createInterruptedAnswer(call, 'Its answer was not kept')
  )
}

function createInterruptedAnswer(call: string, reason: string): CallAnswer {
  return {
    error: {
      code: 'run/interrupted',
      message: `${reason}, so it is not known how far the run came`,
      hint: `Repeat the call if it is harmless to run twice, or look: ${formatShowRun(call)}`,
      data: { run_id: call },
    },
  }
}
