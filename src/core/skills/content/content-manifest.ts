import { hash } from 'node:crypto'
import { SkillsError } from '../../../errors.ts'

/** Modes of Git: a file, an executable file, a symbolic link. */
export type ContentMode = '100644' | '100755' | '120000'

/** A file of a skill. A link is the text of its target. */
export interface ContentEntry {
  /** Relative to the skill, in Unicode form NFC, with forward slashes. */
  path: string
  mode: ContentMode
  /** Bytes. */
  size: number
  /** 64 hexadecimal digits. */
  sha256: string
}

/** SHA-256 of the content manifest, `sha256:<hex>`: one digest of all files of a skill. */
export function digestContent(entries: readonly ContentEntry[]): string {
  return `sha256:${hash('sha256', formatContentManifest(entries))}`
}

/** Formats the content manifest: a line per file, `<mode> <size> <sha256> <path>`. */
export function formatContentManifest(entries: readonly ContentEntry[]): string {
  const sorted = entries.toSorted((a, b) => comparePaths(a.path, b.path))
  const lines = sorted.map(({ path, mode, size, sha256 }, at) => {
    const problem = findContentPathProblem(path)
    if (problem) throw invalidContentError(path, problem)
    if (at > 0 && sorted[at - 1]?.path === path) throw invalidContentError(path, 'is there twice')
    return `${mode} ${size} ${sha256} ${path}\n`
  })
  return lines.join('')
}

const ASCII = /^[\u0000-\u007f]*$/
// eslint-disable-next-line no-control-regex -- a line feed in a path could forge a line
const CONTROL = /[\u0000-\u001f\u007f]/

/** The reason for which a path cannot stand in a content manifest. */
export function findContentPathProblem(path: string): string | undefined {
  if (path === '') return 'is empty'
  if (CONTROL.test(path)) return 'has a control character'
  if (!ASCII.test(path)) {
    if (/\p{Surrogate}/u.test(path)) return 'is not valid Unicode'
    if (path !== path.normalize('NFC')) return 'is not in Unicode form NFC'
  }
  if (path.startsWith('/')) return 'is absolute'
  const names = path.split('/')
  if (names.includes('..')) return 'leads out with ".."'
  return names.includes('') || names.includes('.') ? 'has an empty or "." segment' : undefined
}

const SURROGATE = /[\ud800-\udfff]/

/** Orders paths by the bytes of their UTF-8 form, which is the same in every language and locale. */
export function comparePaths(a: string, b: string): number {
  if (a === b) return 0
  // Surrogates of UTF-16 are lower than some characters that precede them in UTF-8.
  if (SURROGATE.test(a) || SURROGATE.test(b)) return Buffer.compare(Buffer.from(a), Buffer.from(b))
  return a < b ? -1 : 1
}

export function invalidContentError(path: string, problem: string): SkillsError {
  return new SkillsError('skill/invalid', `The path ${JSON.stringify(path)} ${problem}`, {
    hint: 'Rename the file, and try again',
    data: { path },
  })
}
