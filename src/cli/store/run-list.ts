import type {
  ListRunHistoryParams,
  RunRow,
} from '../../core/methods/list-run-history/definition.ts'
import type { RunStatus } from '../../core/runs/history/run-record.ts'
import type { PlainObject } from '../../core/skills/manifest/manifest.ts'
import type { RuntimeHandle } from '../../runtime-handle/handle.ts'
import { toPrintable } from '../../util/printable.ts'
import { openHandle } from '../access/open-handle.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { formatTable } from '../ui/table.ts'
import { readCountOption } from './count-option.ts'
import { paintStatus, formatRunDuration } from './run-text.ts'
import { formatToSeconds } from './format-to-seconds.ts'
import { readTimeOption } from './time-option.ts'

/** Runs of one call. */
const PAGE_SIZE = 500

/** `skills runs ls`. */
export async function listRuns(context: Context, call: CommandLine): Promise<number> {
  const handle = await openHandle(context, call)
  const { json } = context.global
  const limit = readCountOption(call, 'limit', 50)
  const query = { ...readRunFilter(call), cursor: getTextOption(call, 'cursor') }
  const found = await readPages(handle, { ...query, records: json }, limit)
  const { rows, records, next_cursor } = found
  if (json) {
    context.document('skills.runs/v1', { runs: records, next_cursor })
    return 0
  }
  if (getFlagOption(call, 'ids')) {
    if (rows.length > 0) context.print(rows.map((run) => run.run_id).join('\n'))
    return 0
  }
  if (rows.length > 0) printRunRows(context, rows)
  else context.note('No matching runs')
  if (next_cursor !== null) context.note(`For older runs add --cursor ${next_cursor}`)
  return 0
}

function readRunFilter(call: CommandLine): Partial<ListRunHistoryParams> {
  const now = Date.now()
  const [since, until] = ['since', 'until'].map((name) => readTimeOption(call, name, now))
  return {
    status: getTextOption(call, 'status') as RunStatus | undefined,
    kind: getTextOption(call, 'kind') as ListRunHistoryParams['kind'],
    skill: getTextOption(call, 'skill'),
    entry_point: getTextOption(call, 'entryPoint'),
    caller: getTextOption(call, 'caller'),
    text: getTextOption(call, 'text'),
    ...(since !== undefined && { since: new Date(since).toISOString() }),
    ...(until !== undefined && { until: new Date(until).toISOString() }),
  }
}

interface FoundRuns {
  rows: RunRow[]
  records: PlainObject[]
  next_cursor: string | null
}

/** Reads pages until there are enough runs. A page can be short although older runs follow. */
async function readPages(
  handle: RuntimeHandle,
  query: ListRunHistoryParams,
  limit: number,
): Promise<FoundRuns> {
  const found: FoundRuns = { rows: [], records: [], next_cursor: query.cursor ?? null }
  do {
    const page = await handle.call('list_run_history', {
      ...query,
      limit: Math.min(limit - found.rows.length, PAGE_SIZE),
      ...(found.next_cursor !== null && { cursor: found.next_cursor }),
    })
    found.rows.push(...page.runs)
    found.records.push(...(page.records ?? []))
    found.next_cursor = page.next_cursor
  } while (found.next_cursor !== null && found.rows.length < limit)
  return found
}

/** Prints a table of runs. Those of a fleet have the node that performed them. */
export function printRunRows(
  context: Context,
  runs: readonly (RunRow & { node?: string })[],
): void {
  const { style } = context
  const rows = runs.map((run) => [
    run.run_id,
    run.status,
    formatToSeconds(run.started_at),
    formatRunDuration(run),
    toPrintable(run.target),
    ...(run.node === undefined ? [] : [toPrintable(run.node)]),
  ])
  const paint = [
    style.cyan,
    (text: string) => text.replace(/\S+/, (status) => paintStatus(context, status as RunStatus)),
    style.dim,
  ]
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(formatTable(rows, { columns, paint }))
}
