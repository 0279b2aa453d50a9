import type { DetachedKind, DetachedError } from '../../core/runs/detached/detached-run.ts'
import type { Engine } from '../engine/engine.ts'
import type { CallAnswer } from '../messages/call-messages.ts'
import {
  parseJobSubject,
  parseQueuedFence,
  readQueuedFence,
  type QueuedFence,
} from './queued-job.ts'
import { readJobEnd, readJobHolder } from './read-job.ts'

/** A detached run that has not ended. */
export interface ActiveJob {
  run_id: string
  kind: DetachedKind
  caller: string
  state: 'queued' | 'running'
  queued_at: string
  /** Null while it is queued. */
  begun_at: string | null
  /** Worker that performs it. */
  worker: string | null
  not_after: string
}

/** A detached run that ended without a record: it did not begin, or its worker was lost at once. */
export interface DeadJob {
  run_id: string
  kind: DetachedKind
  caller: string
  queued_at: string
  ended_at: string
  error: Pick<DetachedError, 'code' | 'message'>
}

/** Lists the runs of the queue, oldest first. */
export async function listActiveJobs(engine: Engine): Promise<ActiveJob[]> {
  const jobs: ActiveJob[] = []
  for (const subject of await engine.subjects('jobs', 'j.>')) {
    const id = parseJobSubject(subject)
    const queued = id === undefined ? undefined : await readQueuedFence(engine, id)
    if (!queued || (await readJobEnd(engine, queued.run_id))) continue
    const holder = await readJobHolder(engine, queued.run_id)
    jobs.push({
      ...describeQueued(queued),
      state: holder ? 'running' : 'queued',
      begun_at: holder?.at ?? null,
      worker: holder?.node ?? null,
      not_after: queued.not_after,
    })
  }
  return jobs.sort((a, b) => Date.parse(a.queued_at) - Date.parse(b.queued_at))
}

/** Lists the runs that ended with an error and without a record, newest first. Cancelled ones are left out. */
export async function listDeadJobs(engine: Engine, limit: number): Promise<DeadJob[]> {
  const fences: QueuedFence[] = []
  for await (const { body } of engine.list('calls', 'c.*.0')) {
    const fence = parseQueuedFence(body)
    if (fence) fences.unshift(fence)
  }
  const dead: DeadJob[] = []
  for (const fence of fences) {
    if (dead.length === limit) break
    const found = await readDeadEnd(engine, fence.run_id)
    if (found) dead.push({ ...describeQueued(fence), ...found })
  }
  return dead
}

async function readDeadEnd(
  engine: Engine,
  id: string,
): Promise<Pick<DeadJob, 'ended_at' | 'error'> | undefined> {
  const stored = await readJobEnd(engine, id)
  if (!stored || 'record' in stored.end) return undefined
  const answer = stored.end.answer as CallAnswer | undefined
  if (!answer || !('error' in answer) || answer.error.code === 'run/cancelled') return undefined
  const { code, message } = answer.error
  return { ended_at: new Date(stored.storedAt).toISOString(), error: { code, message } }
}

function describeQueued({ run_id, kind, who, started_at }: QueuedFence) {
  return { run_id, kind, caller: who.caller, queued_at: started_at }
}
