import { lstatSync, readdirSync, type BigIntStats } from 'node:fs'
import { join } from 'node:path'

/** More entries than any skill may have. */
const MAX_ENTRIES = 20_000

/** State of a folder at one moment. */
export interface FolderStamp {
  /** Differs after any change: ctimes of the kernel cannot be set by programs. */
  text: string
  /** True if any later change will be visible. */
  isSettled: boolean
}

/**
 * A file may change twice within one tick of the kernel's clock, so younger changes are not
 * trusted.
 */
const SETTLED_MS = 100

/** Limits of the cache: folders, and entries per folder. */
const MAX_FOLDERS = 256
const MAX_CACHED_ENTRIES = 1000

type StampedEntry = Pick<BigIntStats, 'dev' | 'ino' | 'mode' | 'size' | 'ctimeNs'>

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
    const entries = new Map<string, StampedEntry>()
    const stamp = stampEntries(dir, Date.now(), entries)
    // The target of a symbolic link may change without the link.
    const isDirectory = (BigInt(entries.get(dir)?.mode ?? 0) & 0o170000n) === 0o040000n
    if (stamp.isSettled && isDirectory && entries.size <= MAX_CACHED_ENTRIES) {
      this.#cached.set(dir, { entries, stamp })
      const [oldest] = this.#cached.keys()
      if (this.#cached.size > MAX_FOLDERS && oldest !== undefined) this.#cached.delete(oldest)
    }
    return stamp
  }
}

/** Stamps a folder without a cache. Throws if it is missing. */
export function stampFolder(dir: string): FolderStamp {
  return stampEntries(dir, Date.now(), new Map())
}

/** Stamps single files, which may be missing. */
export function stampFiles(paths: readonly string[]): FolderStamp {
  const startedMs = Date.now()
  let changedMs = 0
  const lines = paths.map((path) => {
    const entry = lstatSync(path, { bigint: true, throwIfNoEntry: false })
    changedMs = Math.max(changedMs, Number((entry?.ctimeNs ?? 0n) / 1_000_000n))
    return entry ? formatStampLine(path, entry) : path
  })
  return { text: lines.join('\n'), isSettled: startedMs - changedMs > SETTLED_MS }
}

function stampEntries(
  dir: string,
  startedMs: number,
  entries: Map<string, StampedEntry>,
): FolderStamp {
  const lines: string[] = []
  let changedMs = 0
  const pending = [dir]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (lines.length > MAX_ENTRIES) return { text: lines.join('\n'), isSettled: false }
    const stat = lstatSync(path, { bigint: true })
    const { dev, ino, mode, size, ctimeNs } = stat
    entries.set(path, { dev, ino, mode, size, ctimeNs })
    changedMs = Math.max(changedMs, Number(ctimeNs / 1_000_000n))
    lines.push(formatStampLine(path, stat))
    // The path to the folder may be a link, whose target is read as well.
    if (!stat.isDirectory() && path !== dir) continue
    for (const name of readdirSync(path)) pending.push(join(path, name))
  }
  return { text: lines.join('\n'), isSettled: startedMs - changedMs > SETTLED_MS }
}

function formatStampLine(path: string, { dev, ino, mode, size, ctimeNs }: StampedEntry): string {
  return `${path}\0${dev} ${ino} ${mode} ${size} ${ctimeNs}`
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
