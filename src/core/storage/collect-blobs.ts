import { statSync } from 'node:fs'
import { rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { CollectedBlobs } from './blob-store.ts'
import { getPinsFolder, listPinnedBlobs } from './pin-blobs.ts'
import { yieldEvery } from '../../util/slices/yield-every.ts'
import { findLeftovers, listNames, createOwnName } from '../../util/leftovers.ts'
import { getCountedBytes, MAX_UNCOUNTED_BYTES } from './quota.ts'
import { openUsage } from './usage.ts'

const NO_THROW = { throwIfNoEntry: false } as const
const BLOB_FOLDER = /^[0-9a-f]{32}$/

/** Folder in which blobs are written, and into which they are moved for removal. */
export function getDraftsFolder(dir: string): string {
  return join(dir, '.drafts')
}

/** Names of the folders of all blobs. */
export async function listBlobFolders(dir: string): Promise<string[]> {
  return (await listNames(dir)).filter((name) => BLOB_FOLDER.test(name))
}

/**
 * Removes expired blobs that are not pinned, and leftovers of crashed processes; counts the rest.
 */
export async function collectBlobs(
  dir: string,
  { ttlMs, dryRun = false }: { ttlMs: number; dryRun?: boolean | undefined },
): Promise<CollectedBlobs> {
  const usage = openUsage(dir)
  const mark = usage.mark()
  const leftovers = await removeLeftovers(dir, dryRun)
  const drafts = dryRun ? 0 : await measureDrafts(dir)
  const pinned = await listPinnedBlobs(dir)
  const oldest = Date.now() - ttlMs
  const expired: { name: string; madeAt: number }[] = []
  const kept = { count: 0, bytes: 0 }
  let bytesFreed = leftovers.bytes
  const yieldIfDue = yieldEvery()
  for (const name of await listBlobFolders(dir)) {
    await yieldIfDue()
    const found = measureBlob(join(dir, name))
    if (!found) continue
    if (
      found.madeAt < oldest &&
      !pinned.has(name) &&
      (dryRun || (await removeBlobFolder(dir, name)))
    ) {
      expired.push({ name, madeAt: found.madeAt })
      bytesFreed += found.bytes
    } else {
      kept.count += 1
      kept.bytes += found.bytes
    }
  }
  if (!dryRun) usage.set(kept.bytes + drafts, mark)
  return {
    expired: expired.sort((a, b) => a.madeAt - b.madeAt).map(({ name }) => `blob:${name}`),
    leftovers: leftovers.count,
    bytesFreed,
    kept,
  }
}

/** Hides a blob by a rename, then removes it; false if it does not exist. */
export async function removeBlobFolder(dir: string, name: string): Promise<boolean> {
  const trash = join(getDraftsFolder(dir), createOwnName())
  try {
    await rename(join(dir, name), trash)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return false
    throw error
  }
  await rm(trash, { recursive: true, force: true })
  return true
}

async function removeLeftovers(dir: string, dryRun: boolean) {
  const left = [
    ...(await findLeftovers(getDraftsFolder(dir))),
    ...(await findLeftovers(getPinsFolder(dir))),
  ]
  let bytes = 0
  for (const path of left) {
    bytes += measureBlob(path)?.bytes ?? 0
    if (!dryRun) await rm(path, { recursive: true, force: true })
  }
  return { count: left.length, bytes }
}

/**
 * Counts unfinished blobs too. They are counted first, so that a blob that is committed meanwhile
 * is not missed.
 */
async function measureDrafts(dir: string): Promise<number> {
  let bytes = 0
  for (const name of await listNames(getDraftsFolder(dir))) {
    const draft = join(getDraftsFolder(dir), name)
    const size = measureBlob(draft)?.bytes ?? 0
    bytes += getCountedBytes(draft) ?? size - (size % MAX_UNCOUNTED_BYTES)
  }
  return bytes
}

function measureBlob(folder: string): { bytes: number; madeAt: number } | undefined {
  const [content, own] = [statSync(join(folder, 'content'), NO_THROW), statSync(folder, NO_THROW)]
  return content && own && { bytes: content.size, madeAt: own.mtimeMs }
}
