import {
  chmodSync,
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
} from 'node:fs'
import { breather } from '../../util/breathe.ts'

const BLOCK = 512
/** A descriptor is held for each level. */
const MAX_DEPTH = 256
const { O_RDONLY, O_DIRECTORY, O_NOFOLLOW } = constants
/** Names a folder without reading it; Node has no word for it. */
const O_PATH = 0x200000

/** What files and folders below a folder take. */
export interface Measure {
  bytes: number
  entries: number
}

/** Counts until there is more than `most`; what changes meanwhile may be missed, no link is followed. */
export async function measureFolder(folder: string, most: Measure): Promise<Measure> {
  const sum = { bytes: 0, entries: 0 }
  await measureBelow(Buffer.from(folder), { sum, most, depth: 0, breathe: breather() })
  return sum
}

interface Measuring {
  sum: Measure
  most: Measure
  depth: number
  breathe: () => Promise<void> | undefined
}

async function measureBelow(path: Buffer, measuring: Measuring): Promise<void> {
  const { sum, most, depth, breathe } = measuring
  // Nobody needs folders so deep but to hide what is in them.
  if (depth > MAX_DEPTH) sum.entries = Infinity
  const fd = depth > MAX_DEPTH ? undefined : openFolder(path)
  if (fd === undefined) return
  try {
    const here = Buffer.from(`/proc/self/fd/${fd}/`)
    const folders: Buffer[] = []
    for (const name of readdirSync(here, { encoding: 'buffer' })) {
      const stat = lstatSync(Buffer.concat([here, name]), { throwIfNoEntry: false })
      if (!stat) continue
      sum.entries += 1
      // A file with several names is counted for each of them, which errs on the safe side.
      sum.bytes += stat.blocks * BLOCK
      if (stat.isDirectory()) folders.push(name)
      if (sum.entries > most.entries) return
      await breathe()
    }
    for (const name of folders) {
      if (sum.bytes > most.bytes || sum.entries > most.entries) return
      await measureBelow(Buffer.concat([here, name]), { ...measuring, depth: depth + 1 })
    }
  } finally {
    closeSync(fd)
  }
}

/** A folder that its owner has locked is opened all the same, and left as it was. */
function openFolder(path: Buffer): number | undefined {
  try {
    return openSync(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EACCES' ? openLocked(path) : undefined
  }
}

function openLocked(path: Buffer): number | undefined {
  let named: number | undefined
  try {
    named = openSync(path, O_PATH | O_DIRECTORY | O_NOFOLLOW)
    const itself = `/proc/self/fd/${named}`
    const { mode } = fstatSync(named)
    chmodSync(itself, 0o700)
    try {
      return openSync(itself, O_RDONLY | O_DIRECTORY)
    } finally {
      chmodSync(itself, mode & 0o7777)
    }
  } catch {
    return undefined
  } finally {
    if (named !== undefined) closeSync(named)
  }
}
