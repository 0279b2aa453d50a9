import { findUnimportablePart } from '../manifest/module-name.ts'

const MAX_NAME = 128
const MAX_FOLDER = 64

/** What is wrong with a name for a new skill, in one sentence; undefined where it is good. */
export function findNameProblem(name: string): string | undefined {
  if (name === '') return 'The name is empty; expected something like "demo.greet"'
  if (name.length > MAX_NAME) {
    return `The name has ${name.length} characters; expected at most ${MAX_NAME}`
  }
  if (/[/\\]/.test(name)) {
    return `"${name}" is a path; expected a name such as "demo.greet", the folder comes with --dir`
  }
  for (const segment of name.split('.')) {
    if (segment === '')
      return `The name "${name}" has an empty part; expected single dots between parts`
    const bad = /[^a-z0-9_-]/u.exec(segment)
    if (bad) {
      return `The name "${name}" contains "${bad[0]}"; expected lowercase letters, digits, "_" and "-", parts separated by dots`
    }
  }
  if (name === 'skills.protocol' || name.startsWith('skills.protocol.')) {
    return `The name "${name}" is reserved for the protocol's own skills`
  }
  const folder = deriveFolderName(name)
  if (folder === '') return `The name "${name}" ends in a part without a letter or digit`
  if (folder.length > MAX_FOLDER) {
    return `The last part of "${name}" has ${folder.length} characters; expected at most ${MAX_FOLDER}`
  }
  return undefined
}

/** For a path in place of a name: the name in it, and the folder around it. */
export function splitNamePath(path: string): { name: string; dir: string } | undefined {
  const parts = path.replaceAll('\\', '/').replace(/\/+$/, '').split('/')
  const last = parts.pop() ?? ''
  const name = findNameProblem(last) === undefined ? last : suggestName(last)
  const dir = parts.join('/') || '/'
  return name === undefined || parts.length === 0 ? undefined : { name, dir }
}

/** Why code could not import an action of this name; undefined where it can. */
export function findImportProblem(name: string): string | undefined {
  const part = findUnimportablePart(name)
  if (part === undefined) return undefined
  const reason = /^\d/.test(part) ? 'begins with a digit' : 'is a word of Python'
  return `Code could not import "${name}", because "${part}" ${reason}; expected another name for an action`
}

/** The closest name that is allowed. */
export function suggestName(name: string): string | undefined {
  const better = transliterate(name.trim().toLowerCase())
    .replace(/[\s/:]+/g, '-')
    .replace(/[^a-z0-9_.-]/g, '')
    .replace(/\.{2,}/g, '.')
    .replace(/^[.-]+|[.-]+$/g, '')
  return better !== name && findNameProblem(better) === undefined ? better : undefined
}

/** Letters that no accent makes of a plain one. */
const LETTER_SPELLINGS: Readonly<Record<string, string>> = {
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  ø: 'o',
  đ: 'd',
  ð: 'd',
  þ: 'th',
  ł: 'l',
  ı: 'i',
}

/** Latin letters without their accents; other scripts stay, and are then left out. */
function transliterate(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[ßæœøđðþłı]/g, (letter) => LETTER_SPELLINGS[letter] ?? letter)
}

/** The folder and Agent Skills name: the last segment, in letters, digits and single hyphens. */
export function deriveFolderName(name: string): string {
  const last = name.slice(name.lastIndexOf('.') + 1)
  return last.replace(/[_-]+/g, '-').replace(/^-|-$/g, '')
}

/** A heading for people: `leads-sync` becomes `Leads sync`. */
export function deriveTitle(name: string): string {
  const words = deriveFolderName(name).replace(/-/g, ' ')
  return words.charAt(0).toUpperCase() + words.slice(1)
}
