import { invalidParamError } from '../../../errors.ts'
import { describeDetached, isOwnDetachedRun } from '../../runs/detached/find-run.ts'
import { describeFoundRun, summarizeRun } from '../../runs/detached/describe-run-state.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import type { RunSummary } from '../run-view.ts'
import type { ListRunsParams, RunsResults } from './definition.ts'

const DEFAULT_LIMIT = 50

/** Returns detached runs of the caller. A cursor is the id of the last run. */
export async function listDetachedRuns(
  services: Services,
  { status, limit = DEFAULT_LIMIT, cursor }: ListRunsParams,
  { caller }: RunCall,
): Promise<RunsResults['list']> {
  const all = await (await services.detached()).list((start) => isOwnDetachedRun(start, caller))
  const last = cursor === undefined ? -1 : all.findIndex(({ start }) => start.run_id === cursor)
  if (cursor !== undefined && last === -1) {
    throw invalidParamError('cursor', 'expected next_cursor of the previous page')
  }
  const runs: RunSummary[] = []
  for (const detached of all.slice(last + 1)) {
    const found = await describeDetached(services, detached)
    const run = summarizeRun(await describeFoundRun(services, found))
    if (status !== undefined && run.status !== status) continue
    if (runs.length === limit) return { runs, next_cursor: runs.at(-1)?.run_id ?? null }
    runs.push(run)
  }
  return { runs, next_cursor: null }
}
