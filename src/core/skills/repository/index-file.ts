import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { RepositoryProblem, SkillEntry } from './repository.ts'
import type { Stamp } from './stamps.ts'

/** Index entry of one folder of a root. */
type IndexedFolder =
  | { stamp: Stamp; kind: 'folder'; children: string[]; problems: RepositoryProblem[] }
  | {
      stamp: Stamp
      kind: 'skill'
      toml: Stamp
      markdown: Stamp
      /** Folders in which nested skills may be. */
      children: string[]
      entry: Omit<SkillEntry, 'dir' | 'root'> | undefined
      problems: RepositoryProblem[]
    }

/** Folders by path relative to the root. */
export type RootIndex = Record<string, IndexedFolder>

/** Increased when the meaning of an index changes; older files are then rebuilt. */
const FORMAT = 2

/**
 * Loads the index of a root; an unreadable or invalid file counts as empty, because it is only a
 * cache.
 */
export function loadIndex(cacheDir: string, root: string): RootIndex {
  try {
    const parsed = JSON.parse(readFileSync(getIndexPath(cacheDir, root), 'utf8')) as {
      format: number
      root: string
      folders: RootIndex
    }
    return parsed.format === FORMAT && parsed.root === root ? parsed.folders : {}
  } catch {
    return {}
  }
}

/** Saves an index for the next process. A failure costs only time. */
export function saveIndex(cacheDir: string, root: string, folders: RootIndex): void {
  const path = getIndexPath(cacheDir, root)
  const temporary = `${path}.${process.pid}-${process.hrtime.bigint().toString(36)}`
  try {
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
    writeFileSync(temporary, JSON.stringify({ format: FORMAT, root, folders }), { mode: 0o600 })
    renameSync(temporary, path)
  } catch {
    try {
      rmSync(temporary, { force: true })
    } catch {
      // The folder does not exist.
    }
  }
}

function getIndexPath(cacheDir: string, root: string): string {
  const readable = root.replace(/[^A-Za-z0-9]+/g, '-').slice(-80)
  return join(cacheDir, 'index', `${readable}.${hashText(root).toString(36)}.json`)
}

/** FNV-1a. On a collision two roots overwrite each other's index: the file names its root. */
function hashText(text: string): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193) >>> 0
  }
  return hash
}
