import { hash } from 'node:crypto'
import { lstatSync, readFileSync, type Stats } from 'node:fs'
import { join } from 'node:path'
import { writeFileWhole } from '../../../util/files/write-file-whole.ts'
import { walkFolder } from '../../../util/walk-folder.ts'
import { digestFolder } from '../../skills/content/read-content.ts'

/** Places of one root in the cache. */
export interface CachedRootPlace {
  /** Folder of the digest. */
  dir: string
  /** The root: its files have the digest. */
  files: string
  /** State of `files` when they were hashed last. */
  stamp: string
}

/** Folder of all fetched roots. */
export function getRootsCache(dataDir: string): string {
  return join(dataDir, 'roots')
}

export function locateCachedRoot(dataDir: string, tree: string): CachedRootPlace {
  const dir = join(getRootsCache(dataDir), tree.slice('sha256:'.length))
  return { dir, files: join(dir, 'files'), stamp: join(dir, 'stamp') }
}

export type CachedRootState = 'missing' | 'verified' | 'changed'

/**
 * Compares the files with their digest. Files whose kernel times did not change after the last
 * comparison are not read again.
 */
export async function checkCachedRoot(
  place: CachedRootPlace,
  tree: string,
): Promise<CachedRootState> {
  if (![place.dir, place.files].every((path) => statEntry(path)?.isDirectory())) return 'missing'
  const before = stampRoot(place.files)
  if (isOwnFile(place) && readStamp(place.stamp) === before.text) return 'verified'
  const found = await digestFolder(place.files).catch((): undefined => undefined)
  if (found !== tree) return 'changed'
  const after = stampRoot(place.files)
  // A change in the same tick of the clock would not show.
  if (after.isSettled && after.text === before.text) await saveStamp(place, after.text)
  return 'verified'
}

function stampRoot(files: string): { text: string; isSettled: boolean } {
  const { text, isSettled } = walkFolder(files).stamp
  return { text: hash('sha256', text), isSettled }
}

/** A stamp counts only if no other user could write it. */
function isOwnFile({ dir, stamp }: CachedRootPlace): boolean {
  const own = process.getuid?.()
  const isOwn = (stat: Stats | undefined) =>
    stat !== undefined && (stat.uid === own || stat.uid === 0) && (stat.mode & 0o022) === 0
  if (own === undefined) return true
  return isOwn(statEntry(dir)) && isOwn(statEntry(stamp)) && statEntry(stamp)?.isFile() === true
}

function readStamp(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return undefined
  }
}

/** Without a stamp, as on a read-only disk, the files are hashed again the next time. */
async function saveStamp({ stamp }: CachedRootPlace, text: string): Promise<void> {
  await writeFileWhole(stamp, text).catch(() => undefined)
}

function statEntry(path: string): Stats | undefined {
  return lstatSync(path, { throwIfNoEntry: false })
}
