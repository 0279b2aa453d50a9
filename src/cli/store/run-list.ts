import type { RunStatus } from '../../core/runs/history/run-record.ts'
import { toPrintable } from '../../util/printable.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { formatTable } from '../ui/table.ts'
import { readCountOption } from './count-option.ts'
import { paintStatus, describeRunTarget, formatRunDuration } from './run-text.ts'
import { formatToSeconds } from './format-to-seconds.ts'

/** `skills runs ls`. */
export async function listRuns(context: Context, call: CommandLine): Promise<number> {
  const store = await (await openRuntime(context)).runs()
  const { runs, next_cursor } = await store.list({
    limit: readCountOption(call, 'limit', 50),
    cursor: getTextOption(call, 'cursor'),
    status: getTextOption(call, 'status') as RunStatus | undefined,
    skill: getTextOption(call, 'skill'),
  })
  if (context.global.json) {
    context.document('skills.runs/v1', { runs, next_cursor })
    return 0
  }
  if (getFlagOption(call, 'ids')) {
    if (runs.length > 0) context.print(runs.map((run) => run.run_id).join('\n'))
    return 0
  }
  const { style } = context
  const rows = runs.map((run) => [
    run.run_id,
    run.status,
    formatToSeconds(run.started_at),
    formatRunDuration(run),
    toPrintable(describeRunTarget(run)),
  ])
  const paint = [
    style.cyan,
    (text: string) => text.replace(/\S+/, (status) => paintStatus(context, status as RunStatus)),
    style.dim,
  ]
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  if (rows.length > 0) context.print(formatTable(rows, { columns, paint }))
  else context.note('No matching runs')
  if (next_cursor !== null) context.note(`For older runs add --cursor ${next_cursor}`)
  return 0
}
