import type { PackedFile } from '../packed-file.ts'
import { invalidArchiveError } from './archive-error.ts'

/**
 * Files of a skill as in its folder: archives have SKILL.md at their root, or in one folder that
 * has all files.
 */
export function removeWrapper(files: readonly PackedFile[]): PackedFile[] {
  if (files.some(({ path }) => path === 'SKILL.md')) return [...files]
  const folder = `${files[0]?.path.split('/', 1)[0]}/`
  const inFolder = files.every(({ path }) => path.startsWith(folder))
  if (inFolder && files.some(({ path }) => path === `${folder}SKILL.md`)) {
    return files.map((file) => ({ ...file, path: file.path.slice(folder.length) }))
  }
  throw invalidArchiveError('it has no SKILL.md, neither at its root nor in its only folder')
}
