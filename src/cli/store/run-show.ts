import type { RunRecord } from '../../core/runs/history/run-record.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintableLines } from '../../util/printable.ts'
import { openHandle } from '../access/open-handle.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { formatTable } from '../ui/table.ts'
import { describeRecord } from './describe-record.ts'
import { paintStatus } from './run-text.ts'

/** `skills runs show`. */
export async function showRun(context: Context, call: CommandLine): Promise<number> {
  const handle = await openHandle(context, call)
  const id = await handle.completeId('record', call.args[0] ?? '')
  const { record } = await handle.call('get_run_record', { run_id: id })
  if (record === null) throw noRecordError(id)
  const run = record as unknown as RunRecord
  if (context.global.json) {
    context.document('skills.run-record/v1', { run })
    return 0
  }
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(`${context.style.bold(run.run_id)}  ${paintStatus(context, run.status)}`)
  context.print(formatTable(describeRecord(run), { columns, paint: [context.style.dim] }))
  const { error } = run
  if (error?.traceback) context.print(toPrintableLines(error.traceback.trimEnd()))
  if (error?.hint) context.print(`  ${context.style.dim('→')} ${toPrintableLines(error.hint)}`)
  return 0
}

function noRecordError(id: string): SkillsError {
  return new SkillsError('run/not-found', `The run "${id}" has no record yet`, {
    hint: `Type "skills runs wait ${id}"`,
    data: { run_id: id },
  })
}
