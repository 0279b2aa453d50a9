import { checkAssets } from '../../../fleet/engine/assets-version.ts'
import { listActiveJobs, type ActiveJob } from '../../../fleet/jobs/list-jobs.ts'
import { toPrintable } from '../../../util/printable.ts'
import { formatDuration } from '../../../util/quantity.ts'
import type { CommandLine } from '../../command.ts'
import type { Context } from '../../context.ts'
import { formatTable } from '../../ui/table.ts'
import { useFleetEngine } from '../open-fleet.ts'

/** `skills fleet jobs`. */
export async function listJobs(context: Context, call: CommandLine): Promise<number> {
  return await useFleetEngine(context, call, async ({ engine }) => {
    await checkAssets(engine)
    const jobs = await listActiveJobs(engine)
    if (context.global.json) context.document('skills.fleet-jobs/v1', { jobs })
    else if (jobs.length > 0) printJobs(context, jobs)
    else context.note('No detached run is queued or running')
    return 0
  })
}

function printJobs(context: Context, jobs: readonly ActiveJob[]): void {
  const { style } = context
  const rows = jobs.map(({ run_id, kind, caller, state, queued_at, worker }) => [
    run_id,
    formatDuration(Math.max(0, Date.now() - Date.parse(queued_at))),
    state,
    kind,
    toPrintable(caller),
    toPrintable(worker ?? '-'),
  ])
  const paintState = (text: string) =>
    text.startsWith('running') ? style.green(text) : style.yellow(text)
  const table = formatTable(rows, {
    columns: context.stdout.isTTY === true ? context.columns : Infinity,
    head: ['RUN', 'AGE', 'STATE', 'KIND', 'CALLER', 'WORKER'],
    paintHead: style.dim,
    paint: [style.cyan, undefined, paintState],
  })
  context.print(table)
}
