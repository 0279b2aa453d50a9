import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { isSearchedFolder } from '../../util/searched-folders.ts'
import { startWorkSlices } from '../../util/slices/work-slices.ts'
import { MAX_DEPTH } from '../../core/skills/repository/found-order.ts'

/** A folder and its depth below its root. */
export interface DeepFolder {
  dir: string
  depth: number
}

/**
 * Returns the folders in which a change can add, change or remove a skill or one of its files.
 * Undefined if there are more than `maxFolders`.
 */
export async function findFolders(
  starts: readonly DeepFolder[],
  maxFolders: number,
): Promise<readonly DeepFolder[] | undefined> {
  const found = new Map<string, DeepFolder>()
  const yieldIfDue = startWorkSlices()
  const pending = [...starts]
  for (let next = pending.pop(); next; next = pending.pop()) {
    const { dir, depth } = next
    if (found.has(dir)) continue
    await yieldIfDue()
    const names = listSubfolders(dir)
    if (!names) continue
    found.set(dir, next)
    if (found.size > maxFolders) return undefined
    if (depth === MAX_DEPTH) continue
    for (const name of names) pending.push({ dir: join(dir, name), depth: depth + 1 })
  }
  return [...found.values()]
}

/** Names of the searched subfolders; undefined if the folder cannot be read. */
export function listSubfolders(dir: string): string[] | undefined {
  try {
    return readdirSync(dir, { withFileTypes: true })
      .filter((each) => each.isDirectory() && isSearchedFolder(each.name))
      .map((each) => each.name)
  } catch {
    return undefined
  }
}
