import { join } from 'node:path'
import type { FolderLists } from '../../../util/walk-folder.ts'
import { readLines, writeLines } from './line-file.ts'
import type { RepositoryProblem, SkillEntry } from './repository.ts'
import type { Stamp } from './stamps.ts'

/** Index entry of one folder of a root. */
export type IndexedFolder =
  | { stamp: Stamp; kind: 'folder'; children: string[]; problems: RepositoryProblem[] }
  | {
      stamp: Stamp
      kind: 'skill'
      toml: Stamp
      markdown: Stamp
      /** Names in its folders, if it was signed. */
      lists?: FolderLists | undefined
      /** Folders in which nested skills may be. */
      children: string[]
      entry: Omit<SkillEntry, 'dir' | 'root'> | undefined
      problems: RepositoryProblem[]
    }

/** Folders by path relative to the root. */
export type RootIndex = ReadonlyMap<string, IndexedFolder>

/** Increased when the meaning of an index changes; older files are then rebuilt. */
const FORMAT = 5

/**
 * Loads the index of a root; an unreadable or invalid file counts as empty, because it is only a
 * cache. The first line names the root, every other line has one folder.
 */
export async function loadIndex(cacheDir: string, root: string): Promise<RootIndex> {
  const folders = new Map<string, IndexedFolder>()
  try {
    let isFirst = true
    for await (const line of readLines(getIndexPath(cacheDir, root))) {
      const parsed: unknown = JSON.parse(line)
      if (isFirst && !isHeader(parsed, root)) return new Map()
      if (!isFirst) {
        const [path, folder] = parsed as [string, IndexedFolder]
        folders.set(path, folder)
      }
      isFirst = false
    }
    return folders
  } catch {
    return new Map()
  }
}

/** Saves an index for the next process. A failure costs only time. */
export async function saveIndex(cacheDir: string, root: string, folders: RootIndex): Promise<void> {
  await writeLines(getIndexPath(cacheDir, root), renderIndex(root, folders))
}

function* renderIndex(root: string, folders: RootIndex): Generator<string> {
  yield JSON.stringify({ format: FORMAT, root })
  for (const each of folders) yield JSON.stringify(each)
}

function isHeader(parsed: unknown, root: string): boolean {
  const { format, root: indexed } = (parsed ?? {}) as { format?: unknown; root?: unknown }
  return format === FORMAT && indexed === root
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
