import { SkillsError } from '../../errors.ts'
import { ASSETS_VERSION } from '../../fleet/engine/assets.ts'
import {
  migrateAssets,
  planMigration,
  type Migration,
  type StreamChange,
} from '../../fleet/engine/migrate-assets.ts'
import type { NodeState } from '../../fleet/messages/node-state.ts'
import { toPrintable } from '../../util/printable.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { formatPlural } from '../store/plural.ts'
import { formatTable } from '../ui/table.ts'
import { requireJetStream } from './engine-problems.ts'
import { hearNodes } from './hear-nodes.ts'
import { readLifetimes } from './lifetimes.ts'
import { useFleetEngine, type OpenFleet } from './open-fleet.ts'

/** Nodes that a message names. */
const MAX_NAMED = 5

/** `skills fleet migrate`. */
export async function migrateFleet(context: Context, call: CommandLine): Promise<number> {
  const isDryRun = getFlagOption(call, 'dryRun')
  return await useFleetEngine(context, call, async (fleet) => {
    const { engine, config } = fleet
    await requireJetStream(fleet)
    const options = { lifetimes: readLifetimes(config), maxJobs: config.fleet.maxJobs }
    const plan = await planMigration(engine, options)
    const requireNoOlderNode = async () => await refuseOlderNodes(context, fleet)
    if (!plan.isDone && !isDryRun) {
      await requireNoOlderNode()
      await migrateAssets(engine, plan, { ...options, requireNoOlderNode })
    }
    printMigration(context, plan, { tenant: engine.tenant, isDryRun })
    return 0
  })
}

/** Throws if a node is heard that may not know the streams of this version. */
async function refuseOlderNodes(
  { signal }: Context,
  { engine, servers }: Pick<OpenFleet, 'engine' | 'servers'>,
): Promise<void> {
  const { nodes, unreadable } = await hearNodes(engine, signal)
  const older = nodes.filter(isOlder)
  if (older.length === 0 && unreadable === 0) return
  const names = older.slice(0, MAX_NAMED).map(({ role, node }) => `${role} "${node}"`)
  const rest = older.length - names.length
  const listed = [
    ...names,
    ...(rest > 0 ? [formatPlural(rest, 'other node')] : []),
    ...(unreadable > 0
      ? [`${formatPlural(unreadable, 'sender')} of heartbeats not understood`]
      : []),
  ]
  throw new SkillsError(
    'usage/invalid',
    `Nodes are running that do not know version ${ASSETS_VERSION} of the streams: ${listed.join(', ')}`,
    {
      hint: `Stop them, then repeat the command; type "skills fleet nodes --fleet ${servers}" to see the nodes`,
    },
  )
}

/** Programs before the field know older versions only. */
function isOlder({ assets = 0, isLeaving }: NodeState): boolean {
  return assets < ASSETS_VERSION && isLeaving !== true
}

function printMigration(
  context: Context,
  { from, to, isDone, changes }: Migration,
  { tenant, isDryRun }: { tenant: string; isDryRun: boolean },
): void {
  if (context.global.json) {
    const state = isDone ? 'unchanged' : isDryRun ? 'planned' : 'migrated'
    return context.document('skills.fleet-migrate/v1', { tenant, from, to, state, changes })
  }
  if (isDone) return context.note(`The streams have version ${to} already`)
  const { style } = context
  const paint = isDryRun ? style.yellow : style.green
  const rows = changes.map((change) => describeChange(change, isDryRun).map(toPrintable))
  if (rows.length > 0) context.print(formatTable(rows, { columns: Infinity, paint: [paint] }))
  const title = isDryRun ? 'Nothing was changed' : 'The streams were migrated'
  context.note(`${title}: from version ${from} to ${to}; stored messages stay as they are`)
}

function describeChange(
  { stream, change, settings }: StreamChange,
  isDryRun: boolean,
): [string, string] {
  const verb = isDryRun ? change : `${change}d`
  return [verb, settings.length === 0 ? stream : `${stream} (${settings.join(', ')})`]
}
