import { invalidParamError } from '../../../errors.ts'
import { findRun } from '../../runs/detached/find-run.ts'
import { MAX_WAIT_MS, waitForRun } from '../../runs/detached/wait-for-run.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { describeCallerRun } from '../caller-run.ts'
import type { CallerRun } from '../run-view.ts'
import type { GetRunParams } from './definition.ts'

/** Returns the state of a run, at once or when it has ended. */
export async function getRun(
  services: Services,
  { run_id: id, wait_ms: waitMs = 0 }: GetRunParams,
  call: RunCall,
): Promise<CallerRun> {
  if (!Number.isSafeInteger(waitMs) || waitMs < 0 || waitMs > MAX_WAIT_MS) {
    throw invalidParamError('wait_ms', `expected 0 to ${MAX_WAIT_MS}, got ${waitMs}`)
  }
  await findRun(services, id, call.caller)
  return await describeCallerRun(services, await waitForRun(services, { id, waitMs }, call), call)
}
