import type { RunStatus } from '../../core/runs/history/run-record.ts'
import { printable } from '../../util/printable.ts'
import { flagOption, textOption, type Call } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { table } from '../ui/table.ts'
import { countOption } from './count-option.ts'
import { paintStatus, targetOf, tookOf } from './run-shown.ts'
import { seconds } from './seconds.ts'

/** `skills runs ls`. */
export async function list(context: Context, call: Call): Promise<number> {
  const store = await (await openRuntime(context)).runs()
  const { runs, next_cursor } = await store.list({
    limit: countOption(call, 'limit', 50),
    cursor: textOption(call, 'cursor'),
    status: textOption(call, 'status') as RunStatus | undefined,
    skill: textOption(call, 'skill'),
  })
  if (context.global.json) {
    context.document('skills.runs/v1', { runs, next_cursor })
    return 0
  }
  if (flagOption(call, 'ids')) {
    if (runs.length > 0) context.print(runs.map((run) => run.run_id).join('\n'))
    return 0
  }
  const { style } = context
  const rows = runs.map((run) => [
    run.run_id,
    run.status,
    seconds(run.started_at),
    tookOf(run),
    printable(targetOf(run)),
  ])
  const paint = [
    style.cyan,
    (text: string) => text.replace(/\S+/, (status) => paintStatus(context, status as RunStatus)),
    style.dim,
  ]
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  if (rows.length > 0) context.print(table(rows, { columns, paint }))
  else context.note('No such runs are recorded')
  if (next_cursor !== null) context.note(`There are older ones: add --cursor ${next_cursor}`)
  return 0
}
