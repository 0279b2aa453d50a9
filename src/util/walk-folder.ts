import { lstatSync, readdirSync, type BigIntStats } from 'node:fs'
import { join } from 'node:path'

/** More entries than any skill may have. */
const MAX_ENTRIES = 20_000
/** Maximum of entries whose names or states are retained. */
export const MAX_CACHED_ENTRIES = 1000

/**
 * A file may change twice within one tick of the kernel's clock, so younger changes are not
 * trusted.
 */
const SETTLED_MS = 100

/** State of a folder at one moment. */
export interface FolderStamp {
  /** Differs after any change: ctimes of the kernel cannot be set by programs. */
  text: string
  /** True if any later change will be visible. */
  isSettled: boolean
}

/** State of a file or folder, without its contents. */
export type StampedEntry = Pick<
  BigIntStats,
  'dev' | 'ino' | 'mode' | 'size' | 'mtimeNs' | 'ctimeNs'
>

/** Names in each folder below a folder, by relative path, with its state when it was listed. */
export type FolderLists = Readonly<Record<string, FolderList>>

interface FolderList {
  state: string
  names: readonly string[]
}

/** A folder with the state of everything in it. */
interface WalkedFolder {
  stamp: FolderStamp
  /** By path; undefined if there are too many. */
  entries: ReadonlyMap<string, StampedEntry> | undefined
  /** The same object as before if no list changed; undefined if it would be too large. */
  lists: FolderLists | undefined
}

const EMPTY: FolderLists = Object.create(null) as FolderLists

/**
 * Stats every entry of a folder, without reading contents. Throws if it is missing. A folder's
 * ctime shows whether its list of entries changed; an unchanged one is not listed again.
 */
export function walkFolder(dir: string, before: FolderLists = EMPTY): WalkedFolder {
  const startedMs = Date.now()
  const lines: string[] = []
  const entries = new Map<string, StampedEntry>()
  const lists = Object.create(null) as Record<string, FolderList>
  let changedMs = 0
  const pending = [dir]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (lines.length > MAX_ENTRIES) {
      const stamp = { text: lines.join('\n'), isSettled: false }
      return { stamp, entries: undefined, lists: undefined }
    }
    const entry = statEntry(path)
    const state = formatState(entry)
    const entryMs = Number(entry.ctimeNs / 1_000_000n)
    entries.set(path, entry)
    changedMs = Math.max(changedMs, entryMs)
    lines.push(`${path}\0${state}`)
    const key = path.slice(dir.length + 1)
    const list = isFolder(entry) ? listFolder(path, state, before[key]) : undefined
    const isOld = hasSettled(entryMs, startedMs)
    if (list && isRetained(list, before[key], isOld)) lists[key] = list
    // The path to the folder may be a link, whose target is read as well.
    if (list || path === dir) pushNames(pending, path, list?.names ?? readdirSync(path))
  }
  const stamp = { text: lines.join('\n'), isSettled: hasSettled(changedMs, startedMs) }
  if (entries.size > MAX_CACHED_ENTRIES) return { stamp, entries, lists: undefined }
  return { stamp, entries, lists: keepSameLists(before, lists) }
}

function pushNames(pending: string[], dir: string, names: readonly string[]): void {
  for (const name of names) pending.push(join(dir, name))
}

/** A list of a folder that changed a moment ago may be outdated later without another ctime. */
function isRetained(list: FolderList, known: FolderList | undefined, isOld: boolean): boolean {
  return isOld || list === known
}

function listFolder(path: string, state: string, known: FolderList | undefined): FolderList {
  return known?.state === state ? known : { state, names: readdirSync(path) }
}

/** True if a file that changes after `nowMs` has another ctime. */
export function hasSettled(changedMs: number, nowMs: number): boolean {
  return nowMs - changedMs > SETTLED_MS
}

/** True for a folder, and false for a symbolic link to one. */
export function isFolder(entry: Pick<BigIntStats, 'mode'> | undefined): boolean {
  return entry !== undefined && (entry.mode & 0o170000n) === 0o040000n
}

/** The state of a file or folder as text. */
export function formatState({
  dev,
  ino,
  mode,
  size,
  ctimeNs,
}: Omit<StampedEntry, 'mtimeNs'>): string {
  return `${dev} ${ino} ${mode} ${size} ${ctimeNs}`
}

/** A copy, because the dates of `Stats` occupy memory. */
function statEntry(path: string): StampedEntry {
  const { dev, ino, mode, size, mtimeNs, ctimeNs } = lstatSync(path, { bigint: true })
  return { dev, ino, mode, size, mtimeNs, ctimeNs }
}

function keepSameLists(before: FolderLists, now: FolderLists): FolderLists {
  const keys = Object.keys(now)
  const isSame =
    keys.length === Object.keys(before).length && keys.every((key) => now[key] === before[key])
  return isSame ? before : now
}
