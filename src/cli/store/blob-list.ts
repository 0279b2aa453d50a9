import { toPrintable } from '../../util/printable.ts'
import { formatBytes } from '../../util/quantity.ts'
import { getFlagOption, type CommandLine } from '../command.ts'
import { summarizeBlob } from '../../runtime-handle/local.ts'
import { unsupportedByRemoteError, readRemoteTarget } from '../access/remote-options.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { formatTable } from '../ui/table.ts'
import { toBlobRecord, findBlobId } from './blob-record.ts'
import { readCountOption } from './count-option.ts'
import { formatPlural } from '../../util/quantity.ts'
import { formatToSeconds } from './format-to-seconds.ts'

/** `skills blobs ls`. */
export async function listBlobs(context: Context, call: CommandLine): Promise<number> {
  requireLocalStore(context, call, 'lists no blobs')
  const runtime = await openRuntime(context)
  const store = await runtime.blobs()
  const { blobs: stored, total } = await store.list({ limit: readCountOption(call, 'limit', 50) })
  const { ttlMs } = runtime.config.store
  const blobs = stored.map((blob) => summarizeBlob(blob, ttlMs))
  if (context.global.json) {
    context.document('skills.blobs/v1', {
      blobs: blobs.map(toBlobRecord),
      total,
    })
    return 0
  }
  if (getFlagOption(call, 'ids')) {
    if (blobs.length > 0) context.print(blobs.map(({ id }) => id).join('\n'))
    return 0
  }
  const { style } = context
  const rows = blobs.map((blob) => [
    blob.id,
    formatBytes(blob.size),
    formatToSeconds(blob.createdAt ?? ''),
    `until ${formatToSeconds(blob.expiresAt ?? '')}`,
    toPrintable(blob.kind),
  ])
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  const paint = [style.cyan, undefined, style.dim, style.dim]
  if (rows.length > 0) context.print(formatTable(rows, { columns, paint }))
  if (rows.length === 0)
    context.note('No blobs are stored; type "skills blobs put <file>" to store one')
  else if (total > rows.length) {
    context.note(`${total - rows.length} older blobs are not shown; add --limit ${total}`)
  }
  return 0
}

/** `skills blobs rm`: resolves every id before it removes any blob. */
export async function removeBlobs(context: Context, call: CommandLine): Promise<number> {
  requireLocalStore(context, call, 'removes no blobs')
  const store = await (await openRuntime(context)).blobs()
  const ids = new Set<string>()
  for (const word of call.args) ids.add(await findBlobId(store, word))
  for (const id of ids) await store.remove(id)
  if (context.global.json) context.document('skills.removed/v1', { removed: [...ids] })
  else context.note(`Removed ${[...ids].join(', ')}`)
  return 0
}

/** `skills blobs gc`. */
export async function collectGarbage(context: Context, call: CommandLine): Promise<number> {
  requireLocalStore(context, call, 'removes no blobs')
  const store = await (await openRuntime(context)).blobs()
  const dryRun = getFlagOption(call, 'dryRun')
  const { expired, leftovers, bytesFreed, kept } = await store.collect({ dryRun })
  if (context.global.json) {
    context.document('skills.blobs-gc/v1', {
      dry_run: dryRun,
      expired,
      leftovers,
      bytes_freed: bytesFreed,
      kept: { count: kept.count, size_bytes: kept.bytes },
    })
    return 0
  }
  const freed = [
    formatPlural(expired.length, 'expired blob'),
    formatPlural(leftovers, 'leftover'),
  ].join(', ')
  const verb = dryRun ? 'Would free' : 'Freed'
  context.print(`${verb} ${formatBytes(bytesFreed)}: ${freed}`)
  context.note(`Kept ${formatPlural(kept.count, 'blob')}, ${formatBytes(kept.bytes)}`)
  return 0
}

/** With SKILLS_URL set, the local blobs must not be listed or removed. */
function requireLocalStore(context: Context, call: CommandLine, action: string): void {
  const target = readRemoteTarget(context, call)
  if (target) throw unsupportedByRemoteError(`A remote runtime ${action} for its callers`, target)
}
