import { readdirSync, type Dirent } from 'node:fs'
import { resolve, sep } from 'node:path'
import { SkillsError, throwIfExhausted } from '../../../errors.ts'
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
  const pending: ContentPlace[] = [{ path: '', file: folder }]
  let count = 0
  for (let parent = pending.pop(); parent; parent = pending.pop()) {
    for (const entry of readFolderEntries(parent.file)) {
      const place = locateEntry(parent, entry.name)
      const isFolder = entry.isDirectory()
      if (leavesOut?.(place.path, isFolder) === true) continue
      count += 1
      if (count > MAX_ENTRIES) throw tooManyEntriesError(folder)
      if (isFolder) pending.push(place)
      else addContent(listed, place, entry)
    }
  }
  return [...listed.values()].sort((a, b) => comparePaths(a.path, b.path))
}

type ContentPlace = Pick<ListedContent, 'path' | 'file'>

function locateEntry({ path, file }: ContentPlace, name: string): ContentPlace {
  const normalized = name.normalize('NFC')
  return {
    path: path === '' ? normalized : `${path}/${normalized}`,
    file: file.endsWith(sep) ? file + name : file + sep + name,
  }
}

/** Links are added, and never followed. */
function addContent(
  listed: Map<string, ListedContent>,
  { path, file }: ContentPlace,
  entry: Dirent,
): void {
  const isLink = entry.isSymbolicLink()
  if (!isLink && !entry.isFile()) throw invalidContentError(path, 'is not a regular file')
  const problem = findContentPathProblem(path)
  if (problem) throw invalidContentError(path, problem)
  if (listed.has(path)) throw invalidContentError(path, 'is there in two forms of Unicode')
  listed.set(path, { path, file, isLink })
}

function readFolderEntries(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch (cause) {
    throwIfExhausted(cause)
    throw new SkillsError('file/unreadable', `Cannot read the folder "${folder}"`, {
      hint: `Check its permissions with: ls -ld "${folder}"`,
      cause,
    })
  }
}

function tooManyEntriesError(folder: string): SkillsError {
  return new SkillsError(
    'skill/invalid',
    `The folder "${folder}" has more than ${MAX_ENTRIES} files and folders`,
    { hint: 'Keep dependencies and build output out of the skill' },
  )
}
