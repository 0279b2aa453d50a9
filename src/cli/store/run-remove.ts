import type { RunStore } from '../../core/runs/history/run-store.ts'
import type { Runtime } from '../../core/runtime.ts'
import { SkillsError } from '../../errors.ts'
import { formatBytes } from '../../util/quantity.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { confirmByPrompt } from '../ui/prompts.ts'
import { openRuntime } from '../runtime.ts'
import { formatPlural } from '../../util/quantity.ts'
import { findRunId } from './run-text.ts'

const PAGE_SIZE = 500

/** `skills runs rm`: removes runs by id, expired ones, or all. */
export async function removeRuns(context: Context, call: CommandLine): Promise<number> {
  const [expired, all] = [getFlagOption(call, 'expired'), getFlagOption(call, 'all')]
  const ways = [call.args.length > 0, expired, all].filter(Boolean).length
  if (ways !== 1) {
    throw new SkillsError('usage/invalid', 'Missing run ids, --expired or --all', {
      hint: 'Type "skills runs ls" to see the ids',
    })
  }
  const runtime = await openRuntime(context)
  const store = await runtime.runs()
  if (expired) return await removeExpiredRuns(context, runtime)
  return await removeRunsById(
    context,
    store,
    all ? await listAllRunIds(context, call, store) : await resolveRunIds(call, runtime),
  )
}

async function removeExpiredRuns(context: Context, runtime: Runtime): Promise<number> {
  const { removed, bytesFreed, kept } = await (await runtime.runs()).expire()
  const outputs = await (await runtime.outputs()).sweep()
  if (context.global.json) {
    context.document('skills.runs-expired/v1', {
      removed,
      bytes_freed: bytesFreed,
      kept: { count: kept.count, size_bytes: kept.bytes },
      outputs: {
        removed: outputs.removed,
        bytes_freed: outputs.bytesFreed,
        kept: { count: outputs.kept.count, size_bytes: outputs.kept.bytes },
      },
    })
  } else {
    const freed = formatBytes(bytesFreed + outputs.bytesFreed)
    const alsoOutputs = outputs.removed > 0 ? `, ${formatPlural(outputs.removed, 'output')}` : ''
    context.print(`Freed ${freed}: ${formatPlural(removed, 'record')}${alsoOutputs}`)
    const size = formatBytes(kept.bytes + outputs.kept.bytes)
    context.note(`Kept ${formatPlural(kept.count, 'record')}, ${size}`)
  }
  return 0
}

async function removeRunsById(
  context: Context,
  store: RunStore,
  ids: readonly string[],
): Promise<number> {
  for (const id of ids) await store.remove(id)
  if (context.global.json) context.document('skills.removed/v1', { removed: ids })
  else context.note(`Removed ${formatPlural(ids.length, 'record')}`)
  return 0
}

/** Resolves every id before any record is removed. */
async function resolveRunIds(
  call: CommandLine,
  services: Pick<Runtime, 'runs' | 'detached'>,
): Promise<string[]> {
  const ids = new Set<string>()
  for (const word of call.args) ids.add(await findRunId(services, word))
  return [...ids]
}

async function listAllRunIds(
  context: Context,
  call: CommandLine,
  store: RunStore,
): Promise<string[]> {
  const ids: string[] = []
  let cursor: string | undefined
  do {
    const page = await store.list({ limit: PAGE_SIZE, cursor })
    for (const run of page.runs) if (run.status !== 'running') ids.push(run.run_id)
    cursor = page.next_cursor ?? undefined
  } while (cursor !== undefined)
  if (ids.length > 0 && !getFlagOption(call, 'yes')) await confirmRemoval(context, ids.length)
  return ids
}

async function confirmRemoval(context: Context, count: number): Promise<void> {
  if (!context.isInteractive) {
    throw new SkillsError('usage/invalid', `This would remove ${formatPlural(count, 'record')}`, {
      hint: 'Add --yes to remove them',
    })
  }
  const message = `Remove ${formatPlural(count, 'record')}?`
  if (await confirmByPrompt(context, { message, initialValue: false })) return
  throw new SkillsError('run/cancelled', 'Cancelled; nothing was removed')
}
