import { isRunId } from '../../core/runs/history/run-id.ts'
import type { Engine } from '../engine/engine.ts'
import { nameJobMark, readQueuedFence } from './queued-job.ts'

/** Notes that the record of a run was removed. Its fences stay, so that it never begins again. */
export async function markJobRemoved(engine: Engine, id: string): Promise<void> {
  if (!isRunId(id) || !(await readQueuedFence(engine, id))) return
  await engine.create('calls', nameJobMark(id, 'removed'), '{}')
}
