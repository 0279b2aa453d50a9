import { refusedParam } from '../../../errors.ts'
import { findRun } from '../../runs/detached/find-run.ts'
import { describeFoundRun } from '../../runs/detached/describe-run-state.ts'
import { waitForRun } from '../../runs/detached/wait-for-run.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import type { CallerRun } from '../run-view.ts'
import type { CancelRunParams } from './definition.ts'

/** Time besides the grace period in which a cancelled run ends. */
const END_MS = 2000

/** `cancel_run`: requests the end of a detached run and waits briefly for it. */
export async function cancelRun(
  services: Services,
  { run_id: id }: CancelRunParams,
  call: RunCall,
): Promise<CallerRun> {
  const found = await findRun(services, id, call)
  if (!found.isRunning) return await describeFoundRun(services, found)
  if (!found.detached) {
    throw refusedParam(
      'run_id',
      'Only a run that was started with detach can be cancelled by its id',
    )
  }
  await (await services.detached()).requestCancel(id)
  const waitMs = services.config.run.killGraceMs + END_MS
  return await describeFoundRun(services, await waitForRun(services, { id, waitMs }, call))
}
