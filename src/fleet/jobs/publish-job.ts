import { toSkillsError } from '../../errors.ts'
import type { Engine } from '../engine/engine.ts'
import { encodeMessage } from '../messages/encoding.ts'
import { PROTOCOL } from '../messages/node-state.ts'
import { nameJob, type QueuedFence } from './queued-job.ts'

/**
 * Puts an accepted run into the queue, unless it is there. False if the queue is full: the keeper tries again
 * when it has room.
 */
export async function publishJob(
  engine: Engine,
  fence: Pick<QueuedFence, 'run_id' | 'principal'>,
): Promise<boolean> {
  const body = encodeMessage({ v: PROTOCOL, run: fence.run_id })
  try {
    await engine.create('jobs', nameJob(fence), body)
    return true
  } catch (error) {
    if (toSkillsError(error).code !== 'store/full') throw error
    return false
  }
}
