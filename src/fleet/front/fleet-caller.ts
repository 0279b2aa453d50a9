import { randomUUID } from 'node:crypto'
import { callMethod, type MethodPerformer } from '../../core/methods/method.ts'
import { fromDetachedError } from '../../core/runs/detached/detached-error.ts'
import { createRunId } from '../../core/runs/history/run-id.ts'
import type { Services } from '../../core/services.ts'
import type { RunCall } from '../../core/runs/run-call.ts'
import {
  MAX_MESSAGE_BYTES,
  pickSentCall,
  type AskAnswer,
  type CallAnswer,
  type StartMessage,
} from '../messages/call-messages.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'
import { digestCall, readFence } from '../messages/fence.ts'
import { PROTOCOL } from '../messages/node-state.ts'
import type { Objects } from '../objects/objects.ts'
import { sealSecrets } from '../access/seal-secrets.ts'
import { collectSecrets } from './collect-secrets.ts'
import { directCall, type DirectedCall, type DirectingServices } from './directed-call.ts'
import { followCall } from './follow-call.ts'
import { CallPlacer, type SentPlace } from './call-placer.ts'
import { findPlace, type CallPlace } from '../messages/method-places.ts'
import { resolveAnswer } from './resolve-answer.ts'

export interface FleetCallerOptions extends DirectingServices {
  objects: Objects
  /** Position of the catalog that workers need, for the skills that this front lists. */
  readonly catalog: { readonly revision: number }
}

interface PlacedCall {
  services: Services
  method: Parameters<MethodPerformer>[1]
  params: unknown
  call: RunCall
}

/** How a call finds its worker. */
interface CallPlacement {
  place: SentPlace
  needsPlace: boolean
  how: 'chance' | 'home' | 'any'
}

const CANCEL_MS = 1000

/** Performs calls on the machines of the fleet. */
export class FleetCaller {
  #options: FleetCallerOptions
  #placer: CallPlacer
  constructor(options: FleetCallerOptions) {
    this.#options = options
    this.#placer = new CallPlacer(options)
  }

  perform: MethodPerformer = async (services, method, given) => {
    const { params, call } = given
    const performed = { services, method, ...given }
    const place = findPlace(method, params, call)
    // A front queues a detached run, after its handler has checked the parameters.
    if (place.where === 'front' || isDetached(params, place)) {
      const cancelAttached = async (id: string) => await this.#cancelAnywhere(id, call)
      const own =
        place.where === 'front' ? {} : { secrets: await collectSecrets(services, performed) }
      return await callMethod(services, method, {
        params,
        call: { ...call, grants: { ...call.grants, ...own }, cancelAttached },
      })
    }
    const needsPlace = method.effect === 'run'
    const { runQueue, signal = new AbortController().signal, caller = {} } = call
    const slot = needsPlace
      ? await runQueue?.acquire(signal, caller.principal, caller.maxRuns)
      : undefined
    try {
      const how = !needsPlace ? 'any' : place.where === 'home' ? 'home' : 'chance'
      const answer = await this.#send(performed, { place, needsPlace, how })
      return readAnswer(await resolveAnswer(this.#options.objects, answer))
    } finally {
      slot?.release()
    }
  }

  async #send(
    { services, method, params, call }: PlacedCall,
    { place, needsPlace, how }: CallPlacement,
  ): Promise<CallAnswer> {
    const { identity, objects, onEvent } = this.#options
    const id = createCallId(call, needsPlace)
    const sent = pickSentCall(call)
    const digest = digestCall(method.name, params, sent)
    const given = await this.#encodeParams(params, objects)
    const directed: DirectedCall = {
      id,
      isRun: needsPlace,
      signal: call.signal,
      onEvent: call.onEvent,
    }
    const secrets = await collectSecrets(services, { method, params, call })
    const excluded = new Set<string>()
    for (let attempt = 1; ;) {
      const wanted = { needsPlace, excluded, signal: call.signal }
      const { view, home } = await this.#placer.place(place, wanted)
      const count = needsPlace ? view.nextCount() : 0
      const { node, start, sealKey } = view.state
      const binding = { call: id, attempt, method: method.name, params, sent, node, start }
      const message: StartMessage = {
        v: PROTOCOL,
        call: id,
        attempt,
        method: method.name,
        ...given,
        sent,
        digest,
        front: identity.name,
        token: createToken(),
        count,
        catalog: this.#options.catalog.revision,
        home,
        ...(secrets.size > 0 && sealKey && { sealed: sealSecrets(secrets, sealKey, binding) }),
      }
      onEvent?.({ t: 'placed', how })
      const done = await directCall(this.#options, directed, { view, message })
      if (done.t === 'answer') return done.answer
      if (done.t === 'taken') {
        onEvent?.({ t: 'attached' })
        const answer = await followCall(this.#options, directed, {
          digest,
          token: createToken(),
        })
        if (answer !== 'revoked') return answer
      }
      if (done.t === 'refused') await this.#placer.avoid(view, wanted, done)
      else {
        attempt += 1
        excluded.add(view.state.node)
      }
    }
  }

  async #encodeParams(params: unknown, objects: Objects) {
    const text = JSON.stringify(params)
    if (Buffer.byteLength(text) <= MAX_MESSAGE_BYTES) return { params }
    return { params: undefined, params_ref: await objects.write(Buffer.from(text)) }
  }

  /** Ends the call of a run that this front or another one sent. False if no worker has it. */
  async #cancelAnywhere(id: string, { cancelAttached }: RunCall): Promise<boolean> {
    if (await cancelAttached?.(id)) return true
    const { engine } = this.#options
    const found = await readFence(engine, id)
    if (found?.fence.t !== 'begun') return false
    const body = encodeMessage({ op: 'cancel', call: id })
    const answer = await engine
      .request(`w.${found.fence.node}.ctl`, body, CANCEL_MS)
      .catch(() => undefined)
    return (
      answer !== undefined && (decodeMessage(answer) as AskAnswer | undefined)?.isKnown === true
    )
  }
}

/** A cell of a kernel cannot be detached, which its worker explains. */
function isDetached(params: unknown, { where }: CallPlace): boolean {
  return where === 'worker' && (params as { detach?: unknown }).detach === true
}

/** A call without a run has an id of its own on the worker, beside that of a run that it controls. */
function createCallId({ runId }: RunCall, isRun: boolean): string {
  return (isRun ? runId : undefined) ?? createRunId()
}

/** Nodes that did not receive the call cannot answer it: they do not know where. */
function createToken(): string {
  return randomUUID()
}

function readAnswer(answer: CallAnswer): unknown {
  if ('error' in answer) throw fromDetachedError(answer.error)
  return 'result' in answer ? answer.result : undefined
}
