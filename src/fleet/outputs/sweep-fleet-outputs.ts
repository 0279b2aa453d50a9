import type { StoredOutput, SweptOutputs } from '../../core/outputs/store/output-store.ts'
import type { OutputLimits } from '../../core/outputs/store/sweep-outputs.ts'
import type { Engine } from '../engine/engine.ts'
import { removeEntry } from '../objects/entries.ts'
import { EntryIndex, type IndexedEntry } from '../objects/entry-index.ts'
import {
  decodeOutputEntry,
  nameOutputEntry,
  OUTPUT_TOMBSTONE,
  type OutputEntry,
  type RemovedOutput,
} from './output-entry.ts'

/** If the quota is exceeded, the oldest outputs are removed until this share of it is used. */
const QUOTA_TARGET_SHARE = 0.9

/** An output in the totals of a sweep. */
export interface IndexedOutput extends Pick<StoredOutput, 'handle' | 'repo' | 'owner'> {
  uploads: readonly string[]
  bytes: number
  createdAt: number
}

/** Creates the list of all outputs, which is empty until its first update. */
export function createOutputIndex(engine: Engine): EntryIndex<IndexedOutput> {
  return new EntryIndex<IndexedOutput>(engine, {
    prefix: 'u',
    parse(message, name) {
      const { handle, repo, owner, uploads, objects, ...entry } = decodeOutputEntry(name, message)
      const stored = (objects.stdout?.size ?? 0) + (objects.stderr?.size ?? 0)
      const bytes = message.body.length + stored
      return { handle, repo, owner, uploads, bytes, createdAt: Date.parse(entry.createdAt) }
    },
    measure: ({ bytes }) => bytes,
  })
}

interface OutputSweepContext {
  engine: Engine
  index: EntryIndex<IndexedOutput>
  limits: OutputLimits
}

/** Removes expired outputs, then the oldest ones until the rest fits; counts the rest. */
export async function sweepFleetOutputs(
  { engine, index, limits }: OutputSweepContext,
  dryRun: boolean,
): Promise<SweptOutputs> {
  await index.update()
  const total = index.bytes
  const maxBytes = total > limits.quotaBytes ? limits.quotaBytes * QUOTA_TARGET_SHARE : Infinity
  const oldest = Date.now() - limits.ttlMs
  const done: SweptOutputs = { removed: 0, bytesFreed: 0, kept: { count: 0, bytes: 0 } }
  const found = index.list().sort((a, b) => a.value.createdAt - b.value.createdAt)
  for (const entry of found) {
    const { bytes, createdAt } = entry.value
    if (createdAt < oldest || total - done.bytesFreed > maxBytes) {
      if (!dryRun) await expireOutput({ engine, index, limits }, entry)
      done.removed += 1
      done.bytesFreed += bytes
    } else {
      done.kept.count += 1
      done.kept.bytes += bytes
    }
  }
  return done
}

/** Removes an output and leaves a tombstone, by which its readers learn that it has expired. */
async function expireOutput(
  { engine, index }: OutputSweepContext,
  { name, seq, value }: IndexedEntry<IndexedOutput>,
): Promise<void> {
  const { handle, repo, owner, uploads } = value
  await removeOutputEntry(engine, name, { isExpired: true, handle, repo, owner, uploads, seq })
  index.delete(name, seq)
}

/** Removes the output of a run, which is unknown afterwards. */
export async function removeOutput(
  { engine, index }: OutputSweepContext,
  key: string,
): Promise<void> {
  const message = await engine.last('data', nameOutputEntry(key))
  if (!message) return
  const { seq } = message
  const found: Partial<OutputEntry> = readIfUndamaged(key, message) ?? {}
  const { handle = '', repo = null, owner = null, uploads = [] } = found
  await removeOutputEntry(engine, key, { isExpired: false, handle, repo, owner, uploads, seq })
  index.delete(key, seq)
}

async function removeOutputEntry(
  engine: Engine,
  key: string,
  tombstone: RemovedOutput,
): Promise<void> {
  await removeEntry(engine, {
    subject: nameOutputEntry(key),
    token: OUTPUT_TOMBSTONE,
    tombstone,
  })
}

/** A damaged output can be removed too. */
function readIfUndamaged(...args: Parameters<typeof decodeOutputEntry>): OutputEntry | undefined {
  try {
    return decodeOutputEntry(...args)
  } catch {
    return undefined
  }
}
