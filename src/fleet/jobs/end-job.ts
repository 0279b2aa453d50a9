import type { DetachedError } from '../../core/runs/detached/detached-run.ts'
import type { Engine } from '../engine/engine.ts'
import type { CallEnds } from '../messages/call-ends.ts'
import { takeFence } from '../messages/fence.ts'
import type { NodeIdentity } from '../node/identity.ts'
import type { QueuedFence } from './queued-job.ts'
import type { JobHolder } from './read-job.ts'

export interface JobEnding {
  engine: Engine
  ends: CallEnds
  identity: NodeIdentity
}

/** The first attempt of a job is the only one. */
export const JOB_ATTEMPT = 1

/**
 * Ends a run that has not begun. The fence decides: returns the fence of the worker that was first, or
 * undefined if the run has ended and its job may leave the queue.
 */
export async function endQueuedJob(
  { engine, ends, identity }: JobEnding,
  queued: QueuedFence,
  error: DetachedError,
): Promise<JobHolder | undefined> {
  const { run_id: call } = queued
  const at = new Date().toISOString()
  const fence = { t: 'revoked', node: identity.name, at } as const
  const result = await takeFence(engine, { call, attempt: JOB_ATTEMPT }, fence)
  if (!result.isMine && result.holder?.t === 'begun') return result.holder
  // A node that died after it had the fence wrote no end: this one has the same effect.
  await ends.write(call, { error })
  return undefined
}

/** The error of a run that waited for too long. */
export function createOverdueError({ run_id: id, not_after: until }: QueuedFence): DetachedError {
  return {
    code: 'run/busy',
    message: `No worker had a place before ${until}, so the run did not begin`,
    hint: 'Start it again, and add workers',
    data: { run_id: id },
  }
}

/** The error of a run whose call asks for an end that was requested before it began. */
export function createCancelledError(): DetachedError {
  return { code: 'run/cancelled', message: 'The run was cancelled before it began' }
}
