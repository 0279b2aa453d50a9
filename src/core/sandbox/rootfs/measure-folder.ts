import { constants, lstatSync, openSync, readdirSync } from 'node:fs'
import { yieldEvery } from '../../../util/yield-every.ts'
import { UnlockedFolder } from './unlocked-folder.ts'

const BLOCK = 512
/** A descriptor is held for each level. */
const MAX_DEPTH = 256
const { O_DIRECTORY, O_NOFOLLOW } = constants
/** Names a folder without reading it; Node has no word for it. */
const O_PATH = 0x200000
const EMPTY_NAME = Buffer.alloc(0)
/** A folder that is gone, and one that only another user may change, which is none of the run's. */
const IGNORED_ERRORS = new Set<string | undefined>(['ENOENT', 'EPERM', 'EROFS'])

/** What files and folders below a folder take. */
export interface FolderSize {
  bytes: number
  entries: number
}

/** Counts until there is more than `most`; what changes meanwhile may be missed, no link is followed. */
export async function measureFolder(folder: string, most: FolderSize): Promise<FolderSize> {
  const sum = { bytes: 0, entries: 0 }
  const fd = openFolderPath(Buffer.from(folder))
  if (fd !== undefined) await measureTree(fd, { sum, most, depth: 0, breathe: yieldEvery() })
  return sum
}

interface MeasureState {
  sum: FolderSize
  most: FolderSize
  depth: number
  breathe: () => Promise<void> | undefined
}

async function measureTree(fd: number, measuring: MeasureState): Promise<void> {
  const { sum, most, depth } = measuring
  const folder = new UnlockedFolder(fd)
  try {
    for (const name of await measureEntries(folder, measuring)) {
      if (sum.bytes > most.bytes || sum.entries > most.entries) return
      const below = folder.accessEntry(name, openFolderPath)
      // Nobody needs folders so deep but to hide what is in them.
      if (depth === MAX_DEPTH) sum.entries = Infinity
      if (below !== undefined) await measureTree(below, { ...measuring, depth: depth + 1 })
    }
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    // Nobody locks a folder again and again but to hide what is in it.
    if (code === 'EACCES') sum.entries = Infinity
    else if (!IGNORED_ERRORS.has(code)) throw error
  } finally {
    folder.close()
  }
}

/** Counts what lies in a folder itself; the names of folders in it. */
async function measureEntries(folder: UnlockedFolder, measuring: MeasureState): Promise<Buffer[]> {
  const { sum, most, breathe } = measuring
  const folders: Buffer[] = []
  for (const name of folder.accessEntry(EMPTY_NAME, (path) =>
    readdirSync(path, { encoding: 'buffer' }),
  )) {
    const stat = folder.accessEntry(name, (path) => lstatSync(path, { throwIfNoEntry: false }))
    if (!stat) continue
    sum.entries += 1
    // A file with several names is counted for each of them, which errs on the safe side.
    sum.bytes += stat.blocks * BLOCK
    if (stat.isDirectory()) folders.push(name)
    if (sum.entries > most.entries) break
    await breathe()
  }
  return folders
}

/** Needs no right to read it; what is gone or something else by now has no descriptor. */
function openFolderPath(path: Buffer): number | undefined {
  try {
    return openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EACCES') throw error
    return undefined
  }
}
