import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readdirSync,
  readSync,
} from 'node:fs'
import { join } from 'node:path'

/** Entries of a home that are compared. */
const MAX_ENTRIES = 20_000
const MAX_DEPTH = 24
const MAX_TEXT = 64 * 1024

interface FileStamp {
  isFile: boolean
  size: number
  mtimeMs: number
  ino: number
}

/** The entries of a folder, by path. Links are not followed. */
export type HomeStamps = ReadonlyMap<string, FileStamp>

export interface FolderChange {
  path: string
  change: 'created' | 'changed' | 'deleted'
  /** Milliseconds of the host's clock; undefined for a deleted file. */
  changedMs: number | undefined
  size: number
}

/** Stamps all entries of a folder that code of a skill may have filled. */
export function stampFolder(root: string): HomeStamps {
  const stamps = new Map<string, FileStamp>()
  const pending = ['']
  while (pending.length > 0 && stamps.size < MAX_ENTRIES) {
    const folder = pending.pop() ?? ''
    for (const name of listEntries(join(root, folder))) {
      const path = folder === '' ? name : `${folder}/${name}`
      const stat = lstatSync(join(root, path), { throwIfNoEntry: false })
      if (!stat || stamps.size >= MAX_ENTRIES) continue
      stamps.set(path, {
        isFile: stat.isFile(),
        size: stat.size,
        mtimeMs: stat.mtimeMs,
        ino: stat.ino,
      })
      if (stat.isDirectory() && path.split('/').length < MAX_DEPTH) pending.push(path)
    }
  }
  return stamps
}

function listEntries(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Lists the differences between two states, folders left out. */
export function compareStamps(before: HomeStamps, after: HomeStamps): FolderChange[] {
  const changes: FolderChange[] = []
  for (const [path, { isFile, size, mtimeMs, ino }] of after) {
    const earlier = before.get(path)
    if (isSameStamp(earlier, { isFile, size, mtimeMs, ino })) continue
    if (!isFile && !earlier?.isFile) continue
    changes.push({ path, change: earlier ? 'changed' : 'created', changedMs: mtimeMs, size })
  }
  for (const [path, { isFile }] of before) {
    if (isFile && !after.has(path)) {
      changes.push({ path, change: 'deleted', changedMs: undefined, size: 0 })
    }
  }
  return changes
}

function isSameStamp(a: FileStamp | undefined, b: FileStamp): boolean {
  return a?.mtimeMs === b.mtimeMs && a.size === b.size && a.ino === b.ino
}

/** Reads the beginning of a file that code of a skill wrote. Neither links nor devices are followed. */
export function readWrittenFile(path: string, limit = MAX_TEXT): Buffer {
  const buffer = Buffer.alloc(limit)
  let fd: number | undefined
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
    if (!fstatSync(fd).isFile()) return Buffer.alloc(0)
    return buffer.subarray(0, readSync(fd, buffer, 0, limit, 0))
  } catch {
    return Buffer.alloc(0)
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}
