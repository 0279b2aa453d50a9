import { constants, lstatSync, openSync, readdirSync } from 'node:fs'
import { yieldEvery } from '../../../util/slices/yield-every.ts'
import { UnlockedFolder } from './unlocked-folder.ts'

export const BLOCK_BYTES = 512
/** One descriptor is open per level. */
const MAX_DEPTH = 256
const { O_DIRECTORY, O_NOFOLLOW } = constants
/** Opens a folder without read access. Node does not define this constant. */
const O_PATH = 0x200000
const EMPTY_NAME = Buffer.alloc(0)
/**
 * Errors for folders that are gone, or that only another user can change and that therefore are not
 * the run's.
 */
const IGNORED_ERRORS = new Set<string | undefined>(['ENOENT', 'EPERM', 'EROFS'])

/** Disk usage below a folder. */
export interface FolderSize {
  bytes: number
  entries: number
}

/**
 * Measures until the limit is exceeded. Follows no symlinks and may miss concurrent changes. With
 * `changedSince`, in milliseconds, only entries that were written, renamed or changed since then
 * count: no program can set the time of that (ctime).
 */
export async function measureFolder(
  folder: string,
  limit: FolderSize,
  { changedSince = -Infinity }: { changedSince?: number } = {},
): Promise<FolderSize> {
  const sum = { bytes: 0, entries: 0 }
  const fd = openFolderPath(Buffer.from(folder))
  const state = { sum, limit, changedSince, depth: 0, breathe: yieldEvery() }
  if (fd !== undefined) await measureTree(fd, state)
  return sum
}

interface MeasureState {
  sum: FolderSize
  limit: FolderSize
  changedSince: number
  depth: number
  breathe: () => Promise<void> | undefined
}

async function measureTree(fd: number, state: MeasureState): Promise<void> {
  const { sum, limit, depth } = state
  const folder = new UnlockedFolder(fd)
  try {
    for (const name of await measureEntries(folder, state)) {
      if (sum.bytes > limit.bytes || sum.entries > limit.entries) return
      const below = folder.accessEntry(name, openFolderPath)
      // Folders this deep can only serve to hide files.
      if (depth === MAX_DEPTH) exceedLimits(sum)
      if (below !== undefined) await measureTree(below, { ...state, depth: depth + 1 })
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // A folder that is locked repeatedly can only serve to hide files.
    if (code === 'EACCES') exceedLimits(sum)
    else if (!IGNORED_ERRORS.has(code)) throw error
  } finally {
    folder.close()
  }
}

/** Measures the direct entries of a folder. Returns the names of its subfolders. */
async function measureEntries(folder: UnlockedFolder, state: MeasureState): Promise<Buffer[]> {
  const { sum, limit, changedSince, breathe } = state
  const folders: Buffer[] = []
  for (const name of folder.accessEntry(EMPTY_NAME, (path) =>
    readdirSync(path, { encoding: 'buffer' }),
  )) {
    const stat = folder.accessEntry(name, (path) => lstatSync(path, { throwIfNoEntry: false }))
    if (!stat) continue
    if (stat.isDirectory()) folders.push(name)
    await breathe()
    if (stat.ctimeMs < changedSince) continue
    sum.entries += 1
    // A hard-linked file is counted once per name, which errs on the safe side.
    sum.bytes += stat.blocks * BLOCK_BYTES
    if (sum.entries > limit.entries) break
  }
  return folders
}

function exceedLimits(sum: FolderSize): void {
  sum.bytes = Infinity
  sum.entries = Infinity
}

/** Needs no read access. Returns undefined for an entry that is gone or is not a folder. */
function openFolderPath(path: Buffer): number | undefined {
  try {
    return openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') throw error
    return undefined
  }
}
