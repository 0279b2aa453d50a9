import { checkAssets } from '../../../fleet/engine/assets-version.ts'
import { runSweep, SWEEPS, type Sweep, type SweepResult } from '../../../fleet/keeper/sweeps.ts'
import { formatBytes } from '../../../util/quantity.ts'
import { getFlagOption, type CommandLine } from '../../command.ts'
import type { Context } from '../../context.ts'
import { formatPlural } from '../../../util/quantity.ts'
import { useFleetEngine } from '../open-fleet.ts'

type SweptResult = SweepResult & Pick<Sweep, 'name'>

const NOUNS: Readonly<Record<Sweep['name'], string>> = {
  runs: 'run',
  outputs: 'output',
  blobs: 'blob',
  sessions: 'session',
  snapshots: 'snapshot pack',
  uploads: 'abandoned upload',
  archives: 'abandoned archive',
}

/** `skills fleet gc`. */
export async function collectFleet(context: Context, call: CommandLine): Promise<number> {
  const dryRun = getFlagOption(call, 'dryRun')
  return await useFleetEngine(context, call, async ({ engine, config }) => {
    await checkAssets(engine)
    const results: SweptResult[] = []
    for (const sweep of SWEEPS) {
      // After Ctrl-C no further sweep begins.
      context.signal.throwIfAborted()
      const result = await runSweep(sweep, { engine, config, dryRun })
      results.push({ name: sweep.name, ...result })
    }
    if (context.global.json) printJson(context, results, dryRun)
    else printResults(context, results, dryRun)
    return 0
  })
}

function printJson(context: Context, results: readonly SweptResult[], dryRun: boolean): void {
  const sweeps = results.map(({ name, removed, bytesFreed }) => ({
    name,
    removed,
    bytes_freed: bytesFreed,
  }))
  context.document('skills.fleet-gc/v1', { dry_run: dryRun, sweeps })
}

function printResults(context: Context, results: readonly SweptResult[], dryRun: boolean): void {
  const { style } = context
  const found = results.filter(({ removed }) => removed > 0)
  const verb = dryRun ? style.yellow('would remove') : style.green('removed')
  for (const { name, removed, bytesFreed } of found) {
    const size = bytesFreed > 0 ? `, ${formatBytes(bytesFreed)}` : ''
    context.print(`${verb} ${formatPlural(removed, NOUNS[name])}${size}`)
  }
  if (found.length === 0) context.note('Nothing has expired or is abandoned')
}
