import { readdirSync, type Dirent } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { join, relative } from 'node:path'

interface ListTreeOptions {
  /** The list is complete if it has at most so many entries. */
  maxEntries?: number
  /** True for entries that are not listed, nor anything in them. */
  isLeftOut?: ((entry: Dirent) => boolean) | undefined
}

/**
 * Entries of a folder and of the folders below it. Links are listed and not followed, also not on
 * versions of Node whose `recursive` option follows them, out of the folder or in a circle.
 */
export function listTree(
  folder: string,
  { maxEntries = Infinity, isLeftOut }: ListTreeOptions = {},
): Dirent[] {
  const found: Dirent[] = []
  for (const pending = [folder]; pending.length > 0 && found.length <= maxEntries;) {
    for (const entry of readdirSync(pending.pop() as string, { withFileTypes: true })) {
      if (isLeftOut?.(entry) === true) continue
      found.push(entry)
      if (entry.isDirectory()) pending.push(join(entry.parentPath, entry.name))
    }
  }
  return found
}

/** The same without blocking, for folders of many files. */
export async function listTreeAsync(folder: string): Promise<Dirent[]> {
  const found: Dirent[] = []
  for (const pending = [folder]; pending.length > 0;) {
    for (const entry of await readdir(pending.pop() as string, { withFileTypes: true })) {
      found.push(entry)
      if (entry.isDirectory()) pending.push(join(entry.parentPath, entry.name))
    }
  }
  return found
}

/** Relative paths of the regular files in a folder and below, sorted. */
export function listTreeFiles(folder: string): string[] {
  return listTree(folder)
    .filter((entry) => entry.isFile())
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)))
    .sort()
}
