import { randomBytes } from 'node:crypto'
import { callMethod, type MethodPerformer } from '../../core/methods/method.ts'
import { fromDetachedError } from '../../core/runs/detached/detached-error.ts'
import { createRunId } from '../../core/runs/history/run-id.ts'
import type { RunCall } from '../../core/runs/run-call.ts'
import { cancelledError } from '../../errors.ts'
import {
  MAX_MESSAGE_BYTES,
  pickSentCall,
  type AskAnswer,
  type CallAnswer,
  type CallFact,
  type StartMessage,
} from '../messages/call-messages.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'
import { digestCall, readFence } from '../messages/fence.ts'
import { PROTOCOL } from '../messages/node-state.ts'
import type { Objects } from '../objects/objects.ts'
import { directCall, type DirectedCall, type DirectingServices } from './directed-call.ts'
import { engineSilentError, noWorkerError } from './errors.ts'
import { followCall } from './follow-call.ts'
import { findHome, makeHome } from './homes.ts'
import { findPlace } from './method-places.ts'
import { resolveAnswer } from './resolve-answer.ts'
import type { WorkerView } from './worker-view.ts'

export interface FleetCallerOptions extends DirectingServices {
  objects: Objects
  /** Position of the catalog that workers need, for the skills that this front lists. */
  readonly catalog: { readonly revision: number }
}

interface PlacedCall {
  method: Parameters<MethodPerformer>[1]
  params: unknown
  call: RunCall
}

/** How a call finds its worker. */
interface CallPlacement {
  fits: (view: WorkerView) => boolean
  needsPlace: boolean
  how: 'chance' | 'home' | 'any'
}

/** Time that a call waits for a first worker, for example while all are restarted. */
const NO_WORKER_MS = 3000
/** Heartbeats arrive more often; a lost one delays a waiting call by at most this time. */
const RECHECK_MS = 200
const CANCEL_MS = 1000

/** Performs calls on the machines of the fleet. */
export class FleetCaller {
  #options: FleetCallerOptions
  constructor(options: FleetCallerOptions) {
    this.#options = options
  }

  perform: MethodPerformer = async (services, method, given) => {
    const { params, call } = given
    const performed = { method, ...given }
    const place = findPlace(method, params, call)
    if (place.where === 'front') {
      const cancelAttached = async (id: string) => await this.#cancelAnywhere(id, call)
      return await callMethod(services, method, { params, call: { ...call, cancelAttached } })
    }
    const fits =
      place.where === 'home'
        ? await this.#enterHome(place.key)
        : ({ state }: WorkerView) => place.labels.every((label) => state.labels.includes(label))
    const needsPlace = method.effect === 'run'
    const slot =
      needsPlace && call.runQueue
        ? await call.runQueue.acquire(
            call.signal ?? new AbortController().signal,
            call.principal,
            call.maxRuns,
          )
        : undefined
    try {
      const how = !needsPlace ? 'any' : place.where === 'home' ? 'home' : 'chance'
      const answer = await this.#send(performed, { fits, needsPlace, how })
      return readAnswer(await resolveAnswer(this.#options.objects, answer))
    } finally {
      slot?.release()
    }
  }

  async #send(
    { method, params, call }: PlacedCall,
    { fits, needsPlace, how }: CallPlacement,
  ): Promise<CallAnswer> {
    const { identity, objects, onEvent } = this.#options
    // A call without a run has an id of its own on the worker, beside that of a run that it controls.
    const id = (needsPlace ? call.runId : undefined) ?? createRunId()
    const sent = pickSentCall(call)
    const digest = digestCall(method.name, params, sent)
    const given = await this.#encodeParams(params, objects)
    const directed: DirectedCall = {
      id,
      isRun: needsPlace,
      signal: call.signal,
      onFact: (fact) => applyFact(call, fact),
    }
    const excluded = new Set<string>()
    for (let attempt = 1; ;) {
      const view = await this.#waitForWorker({ fits, needsPlace, excluded, signal: call.signal })
      const count = needsPlace ? ++view.sent : 0
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
      if (done.t !== 'refused') attempt += 1
      if (done.t === 'refused') this.#options.workers.avoid(view, done.isUnheard)
      excluded.add(view.state.node)
    }
  }

  async #encodeParams(params: unknown, objects: Objects) {
    const text = JSON.stringify(params)
    if (Buffer.byteLength(text) <= MAX_MESSAGE_BYTES) return { params }
    return { params: undefined, params_ref: await objects.write(Buffer.from(text)) }
  }

  /** Waits until a worker has a place. Throws if there is no worker at all. */
  async #waitForWorker({
    fits,
    needsPlace,
    excluded,
    signal,
  }: {
    fits: (view: WorkerView) => boolean
    needsPlace: boolean
    excluded: Set<string>
    signal: AbortSignal | undefined
  }): Promise<WorkerView> {
    const { workers, engine, enginePatienceMs } = this.#options
    const since = performance.now()
    for (;;) {
      if (signal?.aborted) throw cancelledError()
      const view = needsPlace
        ? workers.choose(excluded, fits)
        : workers.all.find((each) => fits(each) && workers.isLive(each))
      if (view) return view
      const isEmpty = !workers.own.some(
        (each) => workers.isLive(each) && !each.state.isDraining && fits(each),
      )
      if (isEmpty && engine.health.isSteady && performance.now() - since > NO_WORKER_MS)
        throw noWorkerError()
      if (engine.health.awayMs > enginePatienceMs) throw engineSilentError()
      await this.#waitForChange(signal)
      // Another try may be worthwhile now.
      excluded.clear()
    }
  }

  async #waitForChange(signal: AbortSignal | undefined): Promise<void> {
    await new Promise<void>((resolve) => {
      const finish = () => {
        clearTimeout(timer)
        stop()
        signal?.removeEventListener('abort', finish)
        resolve()
      }
      const timer = setTimeout(finish, RECHECK_MS)
      const stop = this.#options.workers.onChange(finish)
      signal?.addEventListener('abort', finish, { once: true })
    })
  }

  /** Returns the filter for the worker of a session. */
  async #enterHome(key: string): Promise<(view: WorkerView) => boolean> {
    const { engine, workers } = this.#options
    for (;;) {
      const { home, seq, generation } = await findHome(this.#options, key)
      if (home) return ({ state }) => state.node === home.node && state.start === home.start
      const view = await this.#waitForWorker({
        fits: ({ state }) => !state.isDraining,
        needsPlace: false,
        excluded: new Set(),
        signal: undefined,
      })
      const chosen = workers.choose(new Set(), () => true) ?? view
      const { node: name, start } = chosen.state
      await makeHome(engine, key, { worker: { name, start }, seq, generation })
    }
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

/** Nodes that did not receive the call cannot answer it: they do not know where. */
function createToken(): string {
  return randomBytes(12).toString('hex')
}

function readAnswer(answer: CallAnswer): unknown {
  if ('error' in answer) throw fromDetachedError(answer.error)
  return 'result' in answer ? answer.result : undefined
}

/** Tells the hooks of a call what happened on the worker. */
function applyFact(call: RunCall, fact: CallFact): void {
  if (fact.k === 'event') call.onEvent?.(fact.event)
  else if (fact.k === 'phase') call.onPhase?.(fact.name)
  else if (fact.k === 'admitted') call.onAdmitted?.()
  else if (fact.k === 'cpu') call.onCpuTime?.(fact.ms)
  else if (fact.k === 'isolated') call.onIsolated?.(fact.isolation)
  else call.onRecorded?.(fact.run)
}
