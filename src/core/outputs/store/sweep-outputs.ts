import { statSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { yieldEvery } from '../../../util/slices/yield-every.ts'
import { listNames, sweepLeftovers } from '../../../util/leftovers.ts'
import { sealJson } from '../../../util/sealed-json.ts'
import { openUsage } from '../../storage/usage.ts'
import {
  listOutputPaths,
  getTombstonePath,
  getManifestPath,
  isOutputTombstone,
  readManifest,
  type OutputTombstone,
} from './manifest.ts'
import type { SweptOutputs } from './output-store.ts'

/** If the quota is exceeded, the oldest outputs are removed until this share of it is used. */
const QUOTA_TARGET_SHARE = 0.9
/** Age at which a stream without a manifest is removed: its manifest may still be written. */
const ORPHAN_TTL_MS = 3_600_000
/** Time during which an expired output is reported as expired instead of unknown. */
const TOMBSTONE_TTL_MS = 30 * 86_400_000
const NO_THROW = { throwIfNoEntry: false } as const

/** Limits of a store. */
export interface OutputLimits {
  /** Limit of one output. */
  maxOutputBytes: number
  /** Limit of all outputs together. */
  quotaBytes: number
  ttlMs: number
}

interface MeasuredOutput {
  key: string
  bytes: number
  createdAt: number
}

/** Removes expired outputs, then the oldest ones until the rest fits; counts the rest. */
export async function sweepOutputs(
  dir: string,
  limits: OutputLimits,
  dryRun: boolean,
): Promise<SweptOutputs> {
  const usage = openUsage(dir)
  const mark = usage.mark()
  if (!dryRun) await sweepLeftovers(join(dir, '.drafts'))
  const found = await measureOutputs(dir)
  const total = found.reduce((sum, { bytes }) => sum + bytes, 0)
  const maxBytes = total > limits.quotaBytes ? limits.quotaBytes * QUOTA_TARGET_SHARE : Infinity
  const oldest = Date.now() - limits.ttlMs
  const done: SweptOutputs = { removed: 0, bytesFreed: 0, kept: { count: 0, bytes: 0 } }
  for (const { key, bytes, createdAt } of found) {
    if (createdAt < oldest || total - done.bytesFreed > maxBytes) {
      if (!dryRun) await expireOutput(dir, key)
      done.removed += 1
      done.bytesFreed += bytes
    } else {
      done.kept.count += 1
      done.kept.bytes += bytes
    }
  }
  if (dryRun) return done
  await removeOrphans(dir)
  usage.set(done.kept.bytes, mark)
  return done
}

/** Bytes of an output's files. */
export function measureOutput(dir: string, key: string): number {
  return listOutputPaths(dir, key).reduce(
    (sum, file) => sum + (statSync(file, NO_THROW)?.size ?? 0),
    0,
  )
}

/** Removes all files of an output; readers that have opened them continue to read. */
export async function removeOutputFiles(dir: string, key: string): Promise<void> {
  for (const file of listOutputPaths(dir, key)) await rm(file, { force: true })
}

/** Removes an output and leaves a tombstone. */
async function expireOutput(dir: string, key: string): Promise<void> {
  const path = getManifestPath(dir, key)
  const found = await readManifest(path, key, isOutputTombstone).catch(() => undefined)
  if (found) {
    const { handle, repo, owner } = found
    const tombstone: OutputTombstone = { handle, repo, owner }
    // A tombstone may be missing: on a full disk free space matters more.
    await writeFile(getTombstonePath(dir, key), sealJson(tombstone), { mode: 0o600 }).catch(
      () => {},
    )
  }
  await removeOutputFiles(dir, key)
}

/** Sorted from the oldest to the newest. */
async function measureOutputs(dir: string): Promise<MeasuredOutput[]> {
  const all: MeasuredOutput[] = []
  const yieldIfDue = yieldEvery()
  for (const name of await listNames(dir)) {
    if (!/^[0-9a-f]{16}\.json$/.test(name)) continue
    const key = name.slice(0, 16)
    const { mtimeMs } = statSync(getManifestPath(dir, key), NO_THROW) ?? {}
    if (mtimeMs !== undefined) all.push({ key, bytes: measureOutput(dir, key), createdAt: mtimeMs })
    await yieldIfDue()
  }
  return all.sort((a, b) => a.createdAt - b.createdAt)
}

/** Removes streams without a manifest, and old tombstones. */
async function removeOrphans(dir: string): Promise<void> {
  const names = new Set(await listNames(dir))
  for (const name of names) {
    const isStray = name.endsWith('.gz') && !names.has(`${name.slice(0, 16)}.json`)
    if (!isStray && !name.endsWith('.gone')) continue
    const file = join(dir, name)
    const { mtimeMs = Infinity } = statSync(file, NO_THROW) ?? {}
    if (Date.now() - mtimeMs > (isStray ? ORPHAN_TTL_MS : TOMBSTONE_TTL_MS))
      await rm(file, { force: true })
  }
}
