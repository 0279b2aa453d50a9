import { isOwnRun } from '../../runs/detached/find-run.ts'
import type { RunCall } from '../../runs/run-call.ts'
import type { Services } from '../../services.ts'
import { createRecordFilter } from '../caller-record.ts'
import { parseTimeParam } from '../parse-time.ts'
import type { ListRunHistoryParams, ListRunHistoryResult } from './definition.ts'
import { buildRunRow } from './build-run-row.ts'

const DEFAULT_LIMIT = 50
/** Records that one page reads: a filter that matches nothing must not block others. */
const MAX_READ = 2000

/** `list_run_history`: returns rows about the records that the caller may see. */
export async function listRunHistory(
  services: Services,
  params: ListRunHistoryParams,
  call: RunCall,
): Promise<ListRunHistoryResult> {
  const { since, until, entry_point: door, records: withRecords, ...query } = params
  const store = await services.runs()
  const { runs, next_cursor, read_until } = await store.list({
    ...query,
    limit: query.limit ?? DEFAULT_LIMIT,
    door,
    sinceMs: parseTimeParam('since', since),
    untilMs: parseTimeParam('until', until),
    isVisible: ({ who }) => call.caller?.isOperator === true || isOwnRun(who, call.caller),
    maxRead: Math.max(MAX_READ, query.limit ?? 0),
  })
  const filter = createRecordFilter(services, call)
  return {
    runs: runs.map(buildRunRow),
    ...(withRecords === true && { records: runs.map(filter) }),
    next_cursor,
    ...(read_until !== undefined && { read_until }),
  }
}
