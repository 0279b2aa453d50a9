import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillsError } from '../errors.ts'
import { createUnifiedDiff } from '../util/unified-diff.ts'

/** A file of a skill with its whole new text. */
export interface ProposedEdit {
  /** Relative to the skill, with forward slashes. */
  path: string
  text: string
}

const MAX_EDITS = 20
const MAX_BYTES = 1024 * 1024
const MAX_PATH = 200

/** Folders that a proposal must not change: what holds it to its word, and what is hidden. */
const PROTECTED = /^(?:tests|evals|node_modules|\..*)$/i
const MANIFESTS = /^(?:skill\.toml|skill\.md)$/i

/** Refuses edits that leave the skill, change its tests, or replace anything but files. */
export function checkEdits(folder: string, edits: readonly ProposedEdit[]): void {
  if (edits.length === 0) throw refusedEditError('it changes no file')
  if (edits.length > MAX_EDITS) {
    throw refusedEditError(`it changes ${edits.length} files, expected at most ${MAX_EDITS}`)
  }
  const seen = new Set<string>()
  for (const { path, text } of edits) {
    const problem = findEditProblem(folder, path, text)
    if (problem !== undefined) throw refusedEditError(`"${path.slice(0, MAX_PATH)}" ${problem}`)
    if (seen.has(path.toLowerCase())) throw refusedEditError(`"${path}" is changed twice`)
    seen.add(path.toLowerCase())
  }
}

// eslint-disable-next-line max-params -- the folder, and the two parts of an edit
function findEditProblem(folder: string, path: string, text: string): string | undefined {
  const parts = path.split('/')
  const isLong = path.length > MAX_PATH || Buffer.byteLength(text) > MAX_BYTES
  if (isLong || text.includes('\0')) return 'is too large, or no text'
  if (/[\\\p{Cc}]/u.test(path)) return 'is not a valid path'
  if (parts.some((part) => ['', '.', '..'].includes(part))) return 'leaves the skill'
  if (parts.some((part) => PROTECTED.test(part))) return 'is read-only for a proposal'
  if (parts.length > 1 && MANIFESTS.test(parts.at(-1) ?? '')) return 'would be another skill'
  return findEntryProblem(folder, parts)
}

/** Folders of the path must be folders, and its end a file without another name. */
function findEntryProblem(folder: string, parts: readonly string[]): string | undefined {
  for (let depth = 1; depth <= parts.length; depth++) {
    const stat = lstatSync(join(folder, ...parts.slice(0, depth)), { throwIfNoEntry: false })
    if (!stat) return undefined
    const isLast = depth === parts.length
    if (isLast ? !stat.isFile() : !stat.isDirectory()) return 'is a link, or not a file'
    if (isLast && stat.nlink > 1) return 'has another name elsewhere'
  }
  return undefined
}

function refusedEditError(reason: string): SkillsError {
  return new SkillsError('policy/denied', `The proposal is refused: ${reason}`, {
    hint: 'Ask for another proposal, or edit the skill yourself',
  })
}

/** Writes checked edits; each file is replaced whole and keeps its mode. */
export function writeEdits(folder: string, edits: readonly ProposedEdit[]): void {
  checkEdits(folder, edits)
  for (const { path, text } of edits) {
    const file = join(folder, path)
    const mode = lstatSync(file, { throwIfNoEntry: false })?.mode ?? 0o644
    const draft = `${file}.draft`
    mkdirSync(dirname(file), { recursive: true })
    rmSync(draft, { force: true })
    writeFileSync(draft, text, { mode: mode & 0o777, flag: 'wx' })
    renameSync(draft, file)
  }
}

/** The edits as a unified diff against a folder. */
export function formatEdits(folder: string, edits: readonly ProposedEdit[]): string {
  return edits
    .map(({ path, text }) => {
      const file = join(folder, path)
      const exists = lstatSync(file, { throwIfNoEntry: false })?.isFile()
      return createUnifiedDiff(path, exists ? readFileSync(file, 'utf8') : undefined, text)
    })
    .filter((diff) => diff !== '')
    .map((diff) => `${diff}\n`)
    .join('')
}
