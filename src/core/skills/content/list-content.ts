import type { Dirent } from 'node:fs'
import { join, resolve, sep } from 'node:path'
import { SkillsError, throwIfExhausted } from '../../../errors.ts'
import { listTree } from '../../../util/list-tree.ts'
import { comparePaths, findContentPathProblem, invalidContentError } from './content-manifest.ts'

/** Maximum number of files and folders in one skill. */
const MAX_ENTRIES = 10_000

/** A file or link below a folder, not read yet. */
export interface ListedContent {
  /** In Unicode form NFC. */
  path: string
  /** As on disk, which differs from `path` if its name is in another form. */
  file: string
  isLink: boolean
}

/** True for a path of a file, link or folder that is not part of the content. */
export type LeavesOut = (path: string, isFolder: boolean) => boolean

/** Lists the files and links below a folder, sorted by the bytes of their paths. */
export function listContent(dir: string, leavesOut?: LeavesOut): ListedContent[] {
  const folder = resolve(dir)
  const listed = new Map<string, ListedContent>()
  for (const entry of listAtMost(folder, leavesOut)) {
    if (entry.isDirectory()) continue
    const { file, path } = locateEntry(folder, entry)
    const isLink = entry.isSymbolicLink()
    if (!isLink && !entry.isFile()) throw invalidContentError(path, 'is not a regular file')
    const problem = findContentPathProblem(path)
    if (problem) throw invalidContentError(path, problem)
    if (listed.has(path)) throw invalidContentError(path, 'is there in two forms of Unicode')
    listed.set(path, { path, file, isLink })
  }
  return [...listed.values()].sort((a, b) => comparePaths(a.path, b.path))
}

function locateEntry(folder: string, { parentPath, name }: Dirent): { file: string; path: string } {
  const file = join(parentPath, name)
  const path = file.slice(folder.length + (folder.endsWith(sep) ? 0 : 1))
  return { file, path: (sep === '/' ? path : path.replaceAll(sep, '/')).normalize('NFC') }
}

function listAtMost(folder: string, leavesOut: LeavesOut | undefined): Dirent[] {
  const isLeftOut =
    leavesOut &&
    ((entry: Dirent) => leavesOut(locateEntry(folder, entry).path, entry.isDirectory()))
  try {
    const entries = listTree(folder, { maxEntries: MAX_ENTRIES, isLeftOut })
    if (entries.length <= MAX_ENTRIES) return entries
  } catch (cause) {
    throwIfExhausted(cause)
    throw new SkillsError('file/unreadable', `Cannot read the folder "${folder}"`, {
      hint: `Check its permissions with: ls -ld "${folder}"`,
      cause,
    })
  }
  throw new SkillsError(
    'skill/invalid',
    `The folder "${folder}" has more than ${MAX_ENTRIES} files and folders`,
    { hint: 'Keep dependencies and build output out of the skill' },
  )
}
