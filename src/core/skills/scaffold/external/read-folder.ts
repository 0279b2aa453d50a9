import { closeSync, constants, fstatSync, lstatSync, openSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../../../errors.ts'
import { checkEntries, templateError, type TemplateEntry, type TemplateFile } from './template-files.ts'

const SKIPPED = new Set(['.git', '__pycache__', '.DS_Store'])
/** Entries after which the search ends: the check of the number of files then fails. */
const MAX_ENTRIES = 2000

/** Reads a template from a folder. Symbolic links are refused, so nothing outside is read. */
export function readTemplateFolder(folder: string, shown: string): TemplateFile[] {
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SkillsError('file/not-found', `The template folder "${shown}" does not exist`, {
      hint: 'Pass --template an existing folder, such as ./my-template',
    })
  }
  const entries = listEntries(folder)
  checkEntries(entries, shown)
  return entries.map(({ path }) => readTemplateFile(folder, path, shown))
}

function listEntries(folder: string): TemplateEntry[] {
  const entries: TemplateEntry[] = []
  const pending = ['']
  for (let prefix = pending.pop(); prefix !== undefined; prefix = pending.pop()) {
    for (const each of readdirSync(join(folder, prefix), { withFileTypes: true })) {
      if (SKIPPED.has(each.name)) continue
      const path = prefix === '' ? each.name : `${prefix}/${each.name}`
      if (each.isDirectory()) pending.push(path)
      else if (each.isFile()) {
        entries.push({ path, type: 'file', size: lstatSync(join(folder, path)).size })
      } else entries.push({ path, type: each.isSymbolicLink() ? 'symlink' : 'special', size: 0 })
      if (entries.length + pending.length > MAX_ENTRIES) return entries
    }
  }
  return entries.sort((a, b) => (a.path < b.path ? -1 : 1))
}

function readTemplateFile(folder: string, path: string, shown: string): TemplateFile {
  try {
    // The entry may have been replaced by a link since it was listed.
    const fd = openSync(join(folder, path), constants.O_RDONLY | constants.O_NOFOLLOW)
    try {
      const isExecutable = (fstatSync(fd).mode & 0o100) !== 0
      return { path, content: readFileSync(fd), isExecutable }
    } finally {
      closeSync(fd)
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException
    throw templateError(shown, `${JSON.stringify(path)} cannot be read (${code ?? 'unknown reason'})`)
  }
}
