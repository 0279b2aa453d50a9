import { SkillsError } from '../../errors.ts'
import { initAssets, type InitializedStream } from '../../fleet/engine/init-assets.ts'
import { toPrintable } from '../../util/printable.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { formatTable } from '../ui/table.ts'
import { listEngineLimits } from '../../fleet/engine/engine-limits.ts'
import { requireJetStream } from './engine-problems.ts'
import { readLifetimes } from './lifetimes.ts'
import { useFleetEngine } from './open-fleet.ts'

/** More are not supported by the engine. */
const MAX_REPLICAS = 5

/** `skills fleet init`. */
export async function initFleet(context: Context, call: CommandLine): Promise<number> {
  const replicas = readReplicas(call)
  return await useFleetEngine(context, call, async (fleet) => {
    const { engine, config } = fleet
    await requireJetStream(fleet)
    const streams = await initAssets(engine, { lifetimes: readLifetimes(config), replicas })
    const limits = listEngineLimits(engine.version)
    if (context.global.json) {
      const { tenant, version } = engine
      const document = { tenant, engine: { version }, replicas, streams, limits }
      context.document('skills.fleet-init/v1', document)
      return 0
    }
    printStreams(context, streams)
    for (const { sentence } of limits) context.note(toPrintable(sentence))
    return 0
  })
}

function printStreams(context: Context, streams: readonly InitializedStream[]): void {
  const { style } = context
  const paint = (text: string) =>
    text.startsWith('unchanged') ? style.dim(text) : style.green(text)
  const rows = streams.map(({ name, state }) => [state, name])
  context.print(formatTable(rows, { columns: Infinity, paint: [paint] }))
}

function readReplicas(call: CommandLine): number {
  const text = getTextOption(call, 'replicas') ?? '1'
  const value = /^\d$/.test(text) ? Number(text) : 0
  if (value >= 1 && value <= MAX_REPLICAS) return value
  throw new SkillsError(
    'usage/invalid',
    `Expected a number from 1 to ${MAX_REPLICAS} for --replicas, got "${text}"`,
    { hint: 'Write it as --replicas 3' },
  )
}
