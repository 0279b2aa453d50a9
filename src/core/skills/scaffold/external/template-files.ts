import { SkillsError } from '../../../../errors.ts'
import { isPlainSegment } from '../../../git/git-address.ts'

/** A file of a template, before its placeholders are replaced. */
export interface TemplateFile {
  path: string
  content: Uint8Array
  isExecutable: boolean
}

/** An entry of a template whose content is not read yet. */
export interface TemplateEntry {
  /** Relative to the template, with forward slashes. */
  path: string
  type: 'file' | 'symlink' | 'submodule' | 'special'
  size: number
}

const MAX_FILES = 500
const MAX_DEPTH = 8
const MAX_FILE_BYTES = 1024 ** 2
const MAX_TOTAL_BYTES = 5 * 1024 ** 2

/** Checks the entries of a template before any content is read. */
export function checkEntries(entries: readonly TemplateEntry[], shown: string): void {
  if (entries.length === 0) throw templateError(shown, 'it has no files')
  if (entries.length > MAX_FILES) {
    throw templateError(shown, `it has over ${MAX_FILES} files`)
  }
  for (const { path, type, size } of entries) {
    const segments = path.split('/')
    const name = JSON.stringify(path)
    if (!segments.every(isPlainSegment)) throw templateError(shown, `its path ${name} is not safe`)
    if (segments.length > MAX_DEPTH) throw templateError(shown, `its path ${name} is too deep`)
    if (type === 'symlink') throw templateError(shown, `${name} is a symbolic link`)
    if (type === 'submodule') throw templateError(shown, `${name} is a submodule`)
    if (type === 'special') throw templateError(shown, `${name} is not a regular file`)
    if (size > MAX_FILE_BYTES) {
      throw templateError(shown, `${name} is larger than ${MAX_FILE_BYTES} bytes`)
    }
  }
  const total = entries.reduce((sum, { size }) => sum + size, 0)
  if (total > MAX_TOTAL_BYTES) {
    throw templateError(shown, `its files are larger than ${MAX_TOTAL_BYTES} bytes together`)
  }
}

/** Error about the content of a template. */
export function templateError(shown: string, reason: string): SkillsError {
  return new SkillsError('usage/invalid', `The template "${shown}" cannot be used: ${reason}`, {
    hint: 'Type "skills read skills.protocol.guide SKILL.md" for the format of a skill; docs/templates.md lists the limits of templates',
  })
}
