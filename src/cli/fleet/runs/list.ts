import { buildRunRow } from '../../../core/methods/list-run-history/build-run-row.ts'
import type { RunRecord } from '../../../core/runs/history/run-record.ts'
import { checkAssets } from '../../../fleet/engine/assets-version.ts'
import type { Engine } from '../../../fleet/engine/engine.ts'
import { readBegun } from '../../../fleet/records/run-begun.ts'
import { getTextOption, type CommandLine } from '../../command.ts'
import type { Context } from '../../context.ts'
import { readCountOption } from '../../store/count-option.ts'
import { printRunRows } from '../../store/run-list.ts'
import { useFleetEngine } from '../open-fleet.ts'
import { openRecordReader } from './record-reader.ts'

/** A run as in JSON. */
type FleetRun = RunRecord & {
  /** Node that performs or performed it; null if the fleet does not know it. */
  node: string | null
}

/** `skills fleet runs`. */
export async function listFleetRuns(context: Context, call: CommandLine): Promise<number> {
  const limit = readCountOption(call, 'limit', 50)
  const cursor = getTextOption(call, 'cursor')
  return await useFleetEngine(context, call, async (fleet) => {
    await checkAssets(fleet.engine)
    const page = await openRecordReader(fleet).list({ limit, cursor })
    const runs: FleetRun[] = []
    for (const record of page.runs) {
      runs.push({ ...record, node: await readNode(fleet.engine, record.run_id) })
    }
    const { next_cursor: next } = page
    if (context.global.json) {
      context.document('skills.fleet-runs/v1', { runs, next_cursor: next })
      return 0
    }
    const rows = runs.map((run) => ({ ...buildRunRow(run), node: run.node ?? '-' }))
    if (rows.length > 0) printRunRows(context, rows)
    else context.note('No run was recorded')
    if (next !== null) context.note(`For older runs add --cursor ${next}`)
    return 0
  })
}

async function readNode(engine: Engine, run: string): Promise<string | null> {
  const node: unknown = (await readBegun(engine, run))?.node
  return typeof node === 'string' ? node : null
}
