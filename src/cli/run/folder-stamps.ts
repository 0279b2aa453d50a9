import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { MISSING, stampPath, type Stamp } from '../../core/skills/repository/stamps.ts'

/** More files than this are not looked at: no skill that can be run has as many. */
const MAX_FILES = 20_000
/** Other programs' own files: version control, editors, byte code. */
const IGNORED_NAMES = /^\.|~$|^__pycache__$|^node_modules$|^4913$/

/** Stamps of files by path. */
export type Stamps = ReadonlyMap<string, Stamp>

/** What files and folders look like now, everything below them included. */
export function stampFolders(
  places: readonly string[],
  isIgnored: (path: string) => boolean,
): Stamps {
  const stamps = new Map<string, Stamp>()
  const pending = [...places]
  for (let path = pending.pop(); path !== undefined; path = pending.pop()) {
    if (isIgnored(path)) continue
    if (stamps.size >= MAX_FILES) break
    const below = readFolderEntries(path)
    if (below) pending.push(...below)
    else stamps.set(path, stampPath(path))
  }
  return stamps
}

/** Paths whose stamps differ, new and gone ones included. */
export function diffStamps(before: Stamps, after: Stamps): readonly string[] {
  const paths = new Set([...before.keys(), ...after.keys()])
  return [...paths].filter((path) => (before.get(path) ?? MISSING) !== (after.get(path) ?? MISSING))
}

/** What is in a folder; undefined for everything else. */
function readFolderEntries(path: string): string[] | undefined {
  try {
    return readdirSync(path)
      .filter((name) => !IGNORED_NAMES.test(name))
      .map((name) => join(path, name))
  } catch {
    return undefined
  }
}
