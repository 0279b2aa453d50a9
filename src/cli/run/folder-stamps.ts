import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { MISSING, stampPath, type Stamp } from '../../core/skills/repository/stamps.ts'

/** Scan limit: no runnable skill has as many files. */
const MAX_FILES = 20_000
/** Files of other programs: version control, editors, byte code. */
const IGNORED_NAMES = /^\.|~$|^__pycache__$|^node_modules$|^4913$/

/** File stamps by path. */
export type Stamps = ReadonlyMap<string, Stamp>

/** Stamps of files and folders, recursively. Names that `ignoredNames` matches are skipped. */
export function stampFolders(
  paths: readonly string[],
  isIgnored: (path: string) => boolean,
  ignoredNames = IGNORED_NAMES,
): Stamps {
  const stamps = new Map<string, Stamp>()
  const pending = [...paths]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (isIgnored(path)) continue
    if (stamps.size >= MAX_FILES) break
    const below = readFolderEntries(path, ignoredNames)
    if (below) pending.push(...below)
    else stamps.set(path, stampPath(path))
  }
  return stamps
}

/** Paths whose stamps differ, including added and removed ones. */
export function diffStamps(before: Stamps, after: Stamps): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => (before.get(path) ?? MISSING) !== (after.get(path) ?? MISSING))
}

/** Entries of a folder; undefined if it is not a folder. */
function readFolderEntries(path: string, ignoredNames: RegExp): string[] | undefined {
  try {
    return readdirSync(path)
      .filter((name) => !ignoredNames.test(name))
      .map((name) => join(path, name))
  } catch {
    return undefined
  }
}
