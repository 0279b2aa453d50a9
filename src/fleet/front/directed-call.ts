import { setTimeout as sleep } from 'node:timers/promises'
import type { RunCall } from '../../core/runs/run-call.ts'
import type { Engine } from '../engine/engine.ts'
import type { CallEnds } from '../messages/call-ends.ts'
import type { AskAnswer, CallAnswer, NodeRequest, StartMessage } from '../messages/call-messages.ts'
import { decodeMessage, encodeMessage } from '../messages/encoding.ts'
import { takeFence } from '../messages/fence.ts'
import type { NodeIdentity } from '../node/identity.ts'
import type { Arrival, CallInbox } from './call-inbox.ts'
import { ignoreAway, silentWorkerError, unknownEndError } from './errors.ts'
import { isInterrupted, type FrontEvent, type InterruptionCause } from './front-event.ts'
import type { WorkerView } from './worker-view.ts'
import type { Workers } from './workers.ts'

export interface DirectingServices {
  engine: Engine
  identity: NodeIdentity
  workers: Workers
  inbox: CallInbox
  ends: CallEnds
  enginePatienceMs: number
  /** Receives facts for metrics. */
  onEvent?: ((event: FrontEvent) => void) | undefined
}

export interface DirectedCall {
  id: string
  /** True if it starts a run: it has a fence and an end, and is never begun twice. */
  isRun: boolean
  signal: AbortSignal | undefined
  /** Receives the events of the worker, and phases of a run that no worker reports. */
  onEvent: RunCall['onEvent']
}

/** How a try to have a worker perform a call ended. */
export type Directed =
  | { t: 'answer'; answer: CallAnswer }
  /** The worker did not begin, and another one may be asked with this attempt. */
  | { t: 'refused'; isUnheard: boolean }
  /** Nothing began, and nothing will begin with this attempt. */
  | { t: 'revoked' }
  /** Another node has the call. */
  | { t: 'taken' }

/** A worker that has not accepted after this time is asked whether it began. */
const ACCEPT_MS = 500
const TICK_MS = 100
const LOOK_MS = 2000
const ASK_MS = 1000
const CANCEL_MS = 1000

/** State of a call, from the replies of its worker. */
interface Progress {
  view: WorkerView
  start: string
  sentAt: number
  isAccepted: boolean
  lastFact: number
  lookedAt: number
  askedAt: number
  unknown: number
  /** The answer whose end the worker stores. */
  announced?: CallAnswer | undefined
}

/** Sends a call to a worker, and waits for its end however long it takes. */
export async function directCall(
  services: DirectingServices,
  call: DirectedCall,
  { view, message }: { view: WorkerView; message: StartMessage },
): Promise<Directed> {
  const { engine, inbox } = services
  const now = performance.now()
  const progress: Progress = {
    view,
    start: view.state.start,
    sentAt: now,
    isAccepted: false,
    lastFact: 0,
    lookedAt: now,
    askedAt: now,
    unknown: 0,
  }
  let settle: (done: Directed | 'unsure') => void = () => {}
  const arrived = new Promise<Directed | 'unsure'>((resolve) => (settle = resolve))
  const close = inbox.open(message.token, (arrival) => {
    noteRefusal(services, progress, arrival)
    noteArrival(call, progress, arrival)
    const done = readArrival(progress, arrival)
    if (done) settle(done)
  })
  const end = view.open(message.count)
  const stopCancelling = sendCancellation(services, call, view.state.node)
  try {
    if (call.isRun) call.onEvent?.({ type: 'phase', name: 'fence' })
    sendStart(engine, view, message)
    for (;;) {
      const done =
        (await raceWithTick(arrived)) ?? (await judge(services, { call, message, progress }))
      if (done === 'unsure') return await revoke(services, message)
      if (done) return done
    }
  } finally {
    end()
    stopCancelling()
    close()
  }
}

async function raceWithTick<T>(arrived: Promise<T>): Promise<T | undefined> {
  let timer: NodeJS.Timeout | undefined
  const tick = new Promise<undefined>(
    (resolve) => (timer = setTimeout(resolve, TICK_MS, undefined)),
  )
  try {
    return await Promise.race([arrived, tick])
  } finally {
    clearTimeout(timer)
  }
}

/** Applies a reply that does not end the call. */
function noteArrival(call: DirectedCall, progress: Progress, arrival: Arrival): void {
  if (arrival.t === 'accepted') {
    progress.isAccepted = true
    progress.start = arrival.start
    if (call.isRun) call.onEvent?.({ type: 'phase', name: 'prepare' })
  } else if (arrival.t === 'fact') {
    // A repeated fact is old; a gap stays one.
    if (arrival.n <= progress.lastFact) return
    progress.lastFact = arrival.n
    call.onEvent?.(arrival.fact)
  } else if (arrival.t === 'ending') {
    progress.announced = arrival.answer
    call.onEvent?.({ type: 'phase', name: 'end' })
  }
}

/** Returns how the call ended, if the arrival says so. */
function readArrival(progress: Progress, arrival: Arrival): Directed | 'unsure' | undefined {
  if (arrival.t === 'stored' || arrival.t === 'end') return readEnd(progress, arrival)
  if (arrival.t === 'busy') return { t: 'refused', isUnheard: false }
  if (arrival.t === 'unheard' && !progress.isAccepted) return { t: 'refused', isUnheard: true }
  if (arrival.t === 'taken') return { t: 'taken' }
  if (arrival.t === 'unsure') return 'unsure'
  return undefined
}

/** An acknowledgement that is faster than its answer decides nothing: the worker sends the end as well. */
function readEnd(
  { announced }: Progress,
  arrival: Extract<Arrival, { t: 'stored' | 'end' }>,
): Directed | undefined {
  const answer = arrival.t === 'end' ? arrival.answer : announced
  return answer && { t: 'answer', answer }
}

/** Counts a refusal. */
function noteRefusal(
  { onEvent }: DirectingServices,
  { isAccepted }: Progress,
  arrival: Arrival,
): void {
  if (arrival.t === 'busy') onEvent?.({ t: 'busy', why: arrival.why })
  if (arrival.t === 'unheard' && !isAccepted) onEvent?.({ t: 'busy', why: 'unheard' })
}

interface Judged {
  call: DirectedCall
  message: StartMessage
  progress: Progress
}

/** Decides about a silent worker, only while the engine answers: without it, every worker is silent. */
async function judge(
  services: DirectingServices,
  judged: Judged,
): Promise<Directed | 'unsure' | undefined> {
  const { health } = services.engine
  if (health.awayMs > services.enginePatienceMs) throw unknownEndError(judged.call.id)
  if (!health.isAnswering) return undefined
  const { isAccepted, sentAt } = judged.progress
  const silentMs = performance.now() - Math.max(sentAt, health.backAt)
  if (!isAccepted) {
    if (!health.isSteady || silentMs <= ACCEPT_MS) return undefined
    return judged.call.isRun ? 'unsure' : sendAgain(services, judged)
  }
  return (
    (await judgeWorker(services, judged)) ??
    (silentMs > LOOK_MS ? await lookForEnd(services, judged) : undefined)
  )
}

/**
 * Repeats the start of a call without a run: it has no fence, and a worker that knows it performs it once.
 * If the worker is gone, another one may be asked.
 */
function sendAgain(
  { engine, workers }: DirectingServices,
  { message, progress }: Judged,
): Directed | undefined {
  const { view, start } = progress
  if (!workers.isLive(view) || view.state.start !== start) {
    return { t: 'refused', isUnheard: false }
  }
  progress.sentAt = performance.now()
  sendStart(engine, view, message)
  return undefined
}

function sendStart(engine: Engine, { state }: WorkerView, message: StartMessage): void {
  const reply = `a.${message.front}.${message.token}`
  engine.publish(`w.${state.node}.start`, encodeMessage(message), reply)
}

/** Ends a call whose worker is gone, or does not know it any more. */
async function judgeWorker(
  services: DirectingServices,
  judged: Judged,
): Promise<Directed | undefined> {
  const { engine, workers } = services
  const { progress } = judged
  const { view, start } = progress
  const isRestarted = engine.health.isSteady && view.state.start !== start
  if (!workers.isLive(view) || isRestarted) return await giveUp(services, judged, 'gone')
  const now = performance.now()
  if (!engine.health.isSteady || now - progress.askedAt < ASK_MS) return undefined
  progress.askedAt = now
  await askWhetherKnown(services, judged)
  if (progress.unknown < 2) return undefined
  return await giveUp(services, judged, 'forgotten')
}

async function giveUp(
  { ends, onEvent }: DirectingServices,
  { call, progress }: Judged,
  cause: InterruptionCause,
): Promise<Directed> {
  const { node } = progress.view.state
  if (!call.isRun) throw silentWorkerError(node)
  const problem = cause === 'gone' ? 'is gone' : 'does not know the run any more'
  const answer = await declareEnd(ends, call.id, `The worker "${node}" ${problem}`)
  if (isInterrupted(answer)) onEvent?.({ t: 'interrupted', cause })
  return { t: 'answer', answer }
}

/** The message with the end may have been lost with a connection. */
async function lookForEnd(
  { ends, onEvent }: DirectingServices,
  { call, progress }: Judged,
): Promise<Directed | undefined> {
  const now = performance.now()
  if (!call.isRun || now - progress.lookedAt < LOOK_MS) return undefined
  progress.lookedAt = now
  const answer = await ends.read(call.id).catch(ignoreAway)
  if (answer) onEvent?.({ t: 'read' })
  return answer && { t: 'answer', answer }
}

/** Both sides compare what they believe, and the worker repeats what was lost. */
async function askWhetherKnown(
  { engine, identity }: DirectingServices,
  { call, message, progress }: Judged,
): Promise<void> {
  const body: NodeRequest = { op: 'ask', call: call.id, attempt: message.attempt }
  const subject = `w.${progress.view.state.node}.ctl`
  try {
    const answer = decodeMessage(await engine.request(subject, encodeMessage(body), 400)) as
      | AskAnswer
      | undefined
    progress.unknown = answer?.isKnown === true ? 0 : progress.unknown + 1
  } catch {
    // Not now: the heartbeats decide about a silent worker.
  }
  const { token } = message
  const follow: NodeRequest = {
    op: 'follow',
    call: call.id,
    front: identity.name,
    token,
    after: progress.lastFact,
  }
  if (engine.health.backAt > progress.sentAt) engine.publish(subject, encodeMessage(follow))
}

/**
 * Gives an attempt up that may have begun: the fence decides. If this front gets it, nothing began;
 * otherwise its holder has accepted the call.
 */
async function revoke(
  { engine, identity, enginePatienceMs, onEvent }: DirectingServices,
  message: StartMessage,
): Promise<Directed> {
  const since = performance.now()
  for (;;) {
    try {
      const at = new Date().toISOString()
      const fence = { t: 'revoked', node: identity.name, at } as const
      const result = await takeFence(engine, message, fence)
      if (result.isMine) onEvent?.({ t: 'revoked' })
      if (result.isMine) return { t: 'revoked' }
      return result.holder?.t === 'revoked' ? { t: 'revoked' } : { t: 'taken' }
    } catch (error) {
      ignoreAway(error)
      if (performance.now() - since > enginePatienceMs) throw unknownEndError(message.call)
      await sleep(TICK_MS)
    }
  }
}

/** Repeats the cancellation until the call has ended: a message may be lost. */
function sendCancellation(
  { engine }: DirectingServices,
  { id, signal }: DirectedCall,
  node: string,
): () => void {
  let timer: NodeJS.Timeout | undefined
  const send = () => {
    engine.publish(`w.${node}.ctl`, encodeMessage({ op: 'cancel', call: id }))
  }
  const start = () => {
    send()
    timer = setInterval(send, CANCEL_MS)
  }
  if (signal?.aborted) start()
  else signal?.addEventListener('abort', start, { once: true })
  return () => {
    clearInterval(timer)
    signal?.removeEventListener('abort', start)
  }
}

/** Gives a call the end that it was interrupted. Throws `run/unknown` if the engine does not answer. */
export async function declareEnd(
  ends: CallEnds,
  call: string,
  reason: string,
): Promise<CallAnswer> {
  try {
    return await ends.declareInterrupted(call, reason)
  } catch (error) {
    ignoreAway(error)
    throw unknownEndError(call)
  }
}
