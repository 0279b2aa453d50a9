import { checkAssets } from '../../../fleet/engine/assets-version.ts'
import { listDeadJobs, type DeadJob } from '../../../fleet/jobs/list-jobs.ts'
import { toPrintable } from '../../../util/printable.ts'
import type { CommandLine } from '../../command.ts'
import type { Context } from '../../context.ts'
import { readCountOption } from '../../store/count-option.ts'
import { formatTable } from '../../ui/table.ts'
import { useFleetEngine } from '../open-fleet.ts'

/** `skills fleet dead`. */
export async function showDeadJobs(context: Context, call: CommandLine): Promise<number> {
  const limit = readCountOption(call, 'limit', 50)
  return await useFleetEngine(context, call, async ({ engine }) => {
    await checkAssets(engine)
    const jobs = await listDeadJobs(engine, limit)
    if (context.global.json) context.document('skills.fleet-dead/v1', { jobs })
    else if (jobs.length > 0) printDeadJobs(context, jobs)
    else context.note('Each detached run that ended has a record')
    return 0
  })
}

function printDeadJobs(context: Context, jobs: readonly DeadJob[]): void {
  const { style } = context
  const rows = jobs.map(({ run_id, ended_at, kind, caller, error }) => [
    run_id,
    ended_at,
    kind,
    toPrintable(caller),
    toPrintable(`${error.code}: ${error.message}`),
  ])
  const table = formatTable(rows, {
    columns: context.stdout.isTTY === true ? context.columns : Infinity,
    head: ['RUN', 'ENDED', 'KIND', 'CALLER', 'REASON'],
    paintHead: style.dim,
    paint: [style.cyan, style.dim, undefined, undefined, style.red],
  })
  context.print(table)
}
