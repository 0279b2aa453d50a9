import { invalidParamError, refusedParam } from '../../../errors.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { cancelRun } from './cancel-run.ts'
import type { RunsParams, RunsResults } from './definition.ts'
import { getRun } from './get-run.ts'
import { listDetachedRuns as listRuns } from './list-detached-runs.ts'
import { readRunLogs } from './read-run-logs.ts'

export { cancelRun, getRun, listRuns, readRunLogs }

/** Parameters of each action. */
const USED: Readonly<Record<RunsParams['action'], readonly string[]>> = {
  list: ['status', 'limit', 'cursor'],
  get: ['run_id', 'wait_ms'],
  logs: ['run_id', 'offset', 'max_bytes'],
  cancel: ['run_id'],
}

/** `runs`: lists detached runs of the caller, or reads or cancels one of its runs. */
export async function controlRuns(
  services: Services,
  { action, ...params }: RunsParams,
  call: RunCall,
): Promise<RunsResults[keyof RunsResults]> {
  for (const [name, value] of Object.entries(params)) {
    if (value === undefined || USED[action].includes(name)) continue
    throw invalidParamError(name, `it has no effect on the action "${action}"`)
  }
  if (action === 'list') return await listRuns(services, params, call)
  const { run_id: id } = params
  if (id === undefined) throw refusedParam('run_id', `The action "${action}" needs a run_id`)
  const perform = { get: getRun, logs: readRunLogs, cancel: cancelRun }[action]
  return await perform(services, { ...params, run_id: id }, call)
}
