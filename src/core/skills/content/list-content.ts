import { join, relative, sep } from 'node:path'
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

/** Lists the files and links below a folder, sorted by the bytes of their paths. */
export function listContent(folder: string): ListedContent[] {
  const listed = new Map<string, ListedContent>()
  for (const entry of listAtMost(folder)) {
    if (entry.isDirectory()) continue
    const file = join(entry.parentPath, entry.name)
    const onDisk = relative(folder, file).replaceAll(sep, '/')
    const path = onDisk.normalize('NFC')
    const isLink = entry.isSymbolicLink()
    if (!isLink && !entry.isFile()) throw invalidContentError(path, 'is not a regular file')
    const problem = findContentPathProblem(path)
    if (problem) throw invalidContentError(path, problem)
    if (listed.has(path)) throw invalidContentError(path, 'is there in two forms of Unicode')
    listed.set(path, { path, file, isLink })
  }
  return [...listed.values()].sort((a, b) => comparePaths(a.path, b.path))
}

function listAtMost(folder: string) {
  try {
    const entries = listTree(folder, MAX_ENTRIES)
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
