import { lstatSync } from 'node:fs'
import {
  formatState,
  hasSettled,
  isFolder,
  MAX_CACHED_ENTRIES,
  walkFolder,
  type FolderStamp,
  type StampedEntry,
} from './walk-folder.ts'

export type { FolderStamp } from './walk-folder.ts'

/** Maximum of cached folders. */
const MAX_FOLDERS = 256

/** Stamps folders and caches their entries. */
export class FolderStamps {
  #cached = new Map<string, { entries: ReadonlyMap<string, StampedEntry>; stamp: FolderStamp }>()

  /**
   * Stats every entry of a folder, without reading contents. A folder's ctime shows whether its
   * list of entries changed; an unchanged one is not listed again.
   */
  stamp(dir: string): FolderStamp {
    const cachedFolder = this.#cached.get(dir)
    if (
      cachedFolder &&
      [...cachedFolder.entries].every(([path, entry]) => isUnchanged(entry, path))
    )
      return cachedFolder.stamp
    this.#cached.delete(dir)
    const { stamp, entries } = walkFolder(dir)
    // The target of a symbolic link may change without the link.
    const isDirectory = isFolder(entries?.get(dir))
    if (stamp.isSettled && isDirectory && entries && entries.size <= MAX_CACHED_ENTRIES) {
      this.#cached.set(dir, { entries, stamp })
      const [oldest] = this.#cached.keys()
      if (this.#cached.size > MAX_FOLDERS && oldest !== undefined) this.#cached.delete(oldest)
    }
    return stamp
  }
}

/** Stamps single files, which may be missing. */
export function stampFiles(paths: readonly string[]): FolderStamp {
  const startedMs = Date.now()
  let changedMs = 0
  const lines = paths.map((path) => {
    const entry = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    changedMs = Math.max(changedMs, Number((entry?.ctimeNs ?? 0n) / 1_000_000n))
    return entry ? `${path}\0${formatState(entry)}` : path
  })
  return { text: lines.join('\n'), isSettled: hasSettled(changedMs, startedMs) }
}

function isUnchanged({ dev, ino, mode, size, ctimeNs }: StampedEntry, path: string): boolean {
  const current = lstatSync(path, { bigint: true, throwIfNoEntry: false })
  return (
    current !== undefined &&
    current.ctimeNs === ctimeNs &&
    current.ino === ino &&
    current.dev === dev &&
    current.mode === mode &&
    current.size === size
  )
}
