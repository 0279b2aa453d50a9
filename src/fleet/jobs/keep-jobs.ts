import type { Engine } from '../engine/engine.ts'
import { readEngineClock } from '../keeper/engine-clock.ts'
import type { RunHolder } from '../records/run-begun.ts'
import {
  createCancelledError,
  createOverdueError,
  endQueuedJob,
  type JobEnding,
} from './end-job.ts'
import { publishJob } from './publish-job.ts'
import {
  isOverdue,
  nameJob,
  nameJobMark,
  parseJobSubject,
  parseQueuedFence,
  readQueuedFence,
  type QueuedFence,
} from './queued-job.ts'
import { readJobEnd, readJobHolder } from './read-job.ts'

export interface JobKeeping extends JobEnding {
  /** False if the start of a node is gone for certain. */
  isAlive: (holder: RunHolder) => boolean | undefined
}

/** Positions that a keeper has checked. */
export interface JobProgress {
  /** Runs that were accepted until here need nothing. */
  checkedSeq: number
  /** On the clock of `performance.now()`. */
  allCheckedAt: number
  overdueCheckedAt: number
}

/** A front that is slower than this has died between the first fence and the job. */
const LOST_MS = 10_000
/** Runs whose job expired, or whose worker died afterwards, are found by then. */
const CHECK_ALL_MS = 3_600_000
const CHECK_OVERDUE_MS = 60_000

export function createJobProgress(): JobProgress {
  return { checkedSeq: 0, allCheckedAt: performance.now(), overdueCheckedAt: 0 }
}

/**
 * Puts accepted runs into the queue whose front died before it did, and ends those that cannot begin or end
 * any more. Returns the number of both.
 */
export async function keepJobs(keeping: JobKeeping, progress: JobProgress): Promise<number> {
  const now = performance.now()
  if (now - progress.allCheckedAt > CHECK_ALL_MS) {
    Object.assign(progress, { checkedSeq: 0, allCheckedAt: now })
  }
  const queued = await listQueuedIds(keeping.engine)
  let count = await requeueLost(keeping, progress, queued)
  if (now - progress.overdueCheckedAt > CHECK_OVERDUE_MS) {
    count += await endOverdue(keeping, queued)
    progress.overdueCheckedAt = now
  }
  return count
}

async function listQueuedIds(engine: Engine): Promise<ReadonlySet<string>> {
  const subjects = await engine.subjects('jobs', 'j.>')
  return new Set(subjects.flatMap((subject) => parseJobSubject(subject) ?? []))
}

async function requeueLost(
  keeping: JobKeeping,
  progress: JobProgress,
  queued: ReadonlySet<string>,
): Promise<number> {
  const { engine } = keeping
  const now = await readEngineClock(engine)
  let count = 0
  let isComplete = true
  const options = { afterSeq: progress.checkedSeq }
  for await (const { seq, storedAt, body } of engine.list('calls', 'c.*.0', options)) {
    if (now - storedAt < LOST_MS) break
    const fence = parseQueuedFence(body)
    const done = !fence || queued.has(fence.run_id) ? 'settled' : await settle(keeping, fence)
    if (done === 'changed') count += 1
    // The next check begins with the first run that still needs something.
    isComplete &&= done !== 'pending'
    if (isComplete) progress.checkedSeq = seq
  }
  return count
}

/** Does what a run without a job needs: to be queued, or to get an end. */
async function settle(
  keeping: JobKeeping,
  fence: QueuedFence,
): Promise<'settled' | 'changed' | 'pending'> {
  const { engine, ends, isAlive } = keeping
  const { run_id: id } = fence
  const isRemoved = (await engine.last('calls', nameJobMark(id, 'removed'))) !== undefined
  if (isRemoved || (await readJobEnd(engine, id))) return 'settled'
  const holder = await readJobHolder(engine, id)
  if (holder) {
    // Its job was acknowledged or has expired, so that no worker will ask for the holder.
    if (isAlive(holder) !== false) return 'pending'
    await ends.declareInterrupted(id, `The worker "${holder.node}" is gone`)
    return 'changed'
  }
  const isCancelled = (await engine.last('calls', nameJobMark(id, 'cancel'))) !== undefined
  const refusal = isCancelled
    ? createCancelledError()
    : isOverdue(fence)
      ? createOverdueError(fence)
      : undefined
  if (refusal) return (await endQueuedJob(keeping, fence, refusal)) ? 'pending' : 'changed'
  return (await publishJob(engine, fence)) ? 'changed' : 'pending'
}

/** Ends the runs that no worker took in time. */
async function endOverdue(keeping: JobKeeping, queued: ReadonlySet<string>): Promise<number> {
  let count = 0
  for (const id of queued) {
    const fence = await readQueuedFence(keeping.engine, id)
    if (!fence || !isOverdue(fence) || (await readJobHolder(keeping.engine, id))) continue
    if (await endQueuedJob(keeping, fence, createOverdueError(fence))) continue
    await keeping.engine.remove('jobs', nameJob(fence))
    count += 1
  }
  return count
}
