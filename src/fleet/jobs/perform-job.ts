import type { RunGrants } from '../../core/runs/run-call.ts'
import { isEngineAway } from '../records/repeat-while-away.ts'
import type { QueuedMessage } from '../engine/engine.ts'
import type { Fence, StartMessage } from '../messages/call-messages.ts'
import { PROTOCOL } from '../messages/node-state.ts'
import type { AttemptResult } from '../worker/worker.ts'
import {
  createCancelledError,
  createOverdueError,
  endQueuedJob,
  JOB_ATTEMPT,
  type JobEnding,
} from './end-job.ts'
import { judgeHolder } from './judge-holder.ts'
import {
  isOverdue,
  nameJobMark,
  nameQueuedFence,
  parseJobSubject,
  parseQueuedFence,
  type QueuedFence,
} from './queued-job.ts'
import type { JobHolder } from './read-job.ts'
import { decodeJob, JobKeyError, type JobCodec } from './store-job.ts'

/** Parts of a worker that perform jobs. */
export interface JobServices extends JobEnding {
  codec: JobCodec
  pool: string
  labels: readonly string[]
  /** Performs a call if this worker gets its fence; resolves when its end is stored. */
  perform: (message: StartMessage, secrets: RunGrants['secrets']) => Promise<AttemptResult>
  /** Ends a run that this worker performs. */
  cancel: (run: string) => void
  /** Called with a run that this worker cannot read. */
  onProblem: (run: string, reason: string) => void
}

/** The job leaves the queue, or is delivered again after some time. */
type Disposal = 'ack' | { nakMs: number }

/** Delay of a job whose holder lives. */
const HELD_MS = 15_000
/** Delay of a job that another worker may be able to perform. */
const PASSED_ON_MS = 2000
/** Delay while the engine did not answer some request. */
const RETRY_MS = 1000
/** Handles a message of the queue, and acknowledges it when the run has an end. Never throws. */
export async function performQueued(
  services: JobServices,
  message: QueuedMessage,
  ackWaitMs: number,
): Promise<void> {
  const timer = setInterval(() => {
    message.working()
    void applyMark(services, message).catch(() => {})
  }, ackWaitMs / 3)
  let disposal: Disposal
  try {
    disposal = await handleJob(services, message)
  } catch (error) {
    if (!isEngineAway(error)) services.onProblem(message.subject, String(error))
    disposal = { nakMs: RETRY_MS }
  } finally {
    clearInterval(timer)
  }
  if (disposal === 'ack') await message.ack()
  else message.nak(disposal.nakMs)
}

/** Ends a run whose cancellation this worker did not receive. */
async function applyMark(services: JobServices, { subject }: QueuedMessage): Promise<void> {
  const { engine, cancel } = services
  const id = parseJobSubject(subject)
  if (id && (await engine.last('calls', nameJobMark(id, 'cancel')))) cancel(id)
}

async function handleJob(services: JobServices, { subject }: QueuedMessage): Promise<Disposal> {
  const id = parseJobSubject(subject)
  const stored = id && (await services.engine.last('calls', nameQueuedFence(id)))
  // The first fence is written before the message, and expires with the record of the run.
  if (!stored) return 'ack'
  const queued = parseQueuedFence(stored.body)
  // Another version may understand it.
  if (!queued) return { nakMs: PASSED_ON_MS }
  if (await services.ends.read(id)) return 'ack'
  const refusal = await explainRefusal(services, queued)
  if (refusal) {
    const holder = await endQueuedJob(services, queued, refusal)
    return holder ? await judgeBegun(services, queued, holder) : 'ack'
  }
  if (!isForWorker(services, queued)) return { nakMs: PASSED_ON_MS }
  const start = await readCall(services, queued)
  if (!start) return { nakMs: PASSED_ON_MS }
  const result = await services.perform(start.message, start.secrets)
  if (result.t === 'ended') return 'ack'
  if (result.t === 'known') return { nakMs: HELD_MS }
  if (result.t === 'unsure') return { nakMs: RETRY_MS }
  return await judgeFence(services, queued, result.holder)
}

/** Returns the reason why the run must not begin. */
async function explainRefusal({ engine }: JobServices, queued: QueuedFence) {
  if (await engine.last('calls', nameJobMark(queued.run_id, 'cancel'))) {
    return createCancelledError()
  }
  return isOverdue(queued) ? createOverdueError(queued) : undefined
}

function isForWorker({ pool, labels }: JobServices, queued: QueuedFence): boolean {
  return queued.pool === pool && queued.labels.every((each) => labels.includes(each))
}

interface JobStart {
  message: StartMessage
  secrets: RunGrants['secrets']
}

/** Undefined if this worker cannot read the call, which another one may. */
async function readCall(
  { codec, onProblem }: JobServices,
  queued: QueuedFence,
): Promise<JobStart | undefined> {
  const { run_id: call, digest } = queued
  try {
    const { method, params, sent, catalog, secrets } = await decodeJob(codec, queued)
    const fixed = { v: PROTOCOL, attempt: JOB_ATTEMPT, front: '', token: '', count: 0 }
    const message = { ...fixed, call, method, params, sent, digest, catalog }
    return { message, secrets: secrets && new Map(Object.entries(secrets)) }
  } catch (error) {
    if (!(error instanceof JobKeyError)) throw error
    onProblem(call, error.message)
    return undefined
  }
}

/** Decides about a job whose fence another node has. */
async function judgeFence(
  services: JobServices,
  queued: QueuedFence,
  holder: Fence | undefined,
): Promise<Disposal> {
  // The node that had it died before it wrote the end.
  if (holder?.t !== 'begun') {
    const refusal = await explainRefusal(services, queued)
    await endQueuedJob(services, queued, refusal ?? createCancelledError())
    return 'ack'
  }
  return await judgeBegun(services, queued, holder)
}

async function judgeBegun(
  { engine, ends }: JobServices,
  { run_id: id }: QueuedFence,
  holder: JobHolder,
): Promise<Disposal> {
  const verdict = await judgeHolder(engine, id, holder)
  if (verdict === 'alive') return { nakMs: HELD_MS }
  if (verdict === 'unknown') return { nakMs: RETRY_MS }
  // It may have ended while it was asked.
  await ends.declareInterrupted(id, `The worker "${holder.node}" is gone`)
  return 'ack'
}
