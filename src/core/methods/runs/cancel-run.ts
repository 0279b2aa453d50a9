import { refusedParam, type SkillsError } from '../../../errors.ts'
import { findRun, type FoundRun } from '../../runs/detached/find-run.ts'
import { waitForRun } from '../../runs/detached/wait-for-run.ts'
import type { RunCall } from '../../runs/run-call.ts'
import { KILL_GRACE_MS } from '../../runs/run-limits.ts'
import type { Services } from '../../services.ts'
import { describeCallerRun } from '../caller-run.ts'
import type { CallerRun } from '../run-view.ts'
import type { CancelRunParams } from './definition.ts'

/** Time besides the grace period in which a cancelled run ends. */
const END_MS = 2000

/** Requests the end of a run and waits briefly for it. */
export async function cancelRun(
  services: Services,
  { run_id: id }: CancelRunParams,
  call: RunCall,
): Promise<CallerRun> {
  const found = await findRun(services, id, call.caller)
  if (!found.isRunning) return await describeCallerRun(services, found, call)
  await requestEnd(services, found, call)
  const waitMs = KILL_GRACE_MS + END_MS
  return await describeCallerRun(services, await waitForRun(services, { id, waitMs }, call), call)
}

/** An operator sees the runs of other callers, and does not end them. */
async function requestEnd(
  services: Services,
  { id, detached, isOwn }: FoundRun,
  { cancelAttached }: RunCall,
): Promise<void> {
  if (!isOwn) throw refusedParam('run_id', 'Only the caller that started a run can cancel it')
  if (detached) return await (await services.detached()).requestCancel(id)
  if (!(await cancelAttached?.(id))) throw attachedElsewhereError()
}

/** The run ends with its call, which only the process that performs it can end. */
function attachedElsewhereError(): SkillsError {
  return refusedParam(
    'run_id',
    'The run belongs to a call that this process does not perform: only a run that was started with detach can be cancelled from everywhere',
  )
}
