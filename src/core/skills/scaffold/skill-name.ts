import { findUnimportablePart } from '../manifest/module-name.ts'

const MAX_NAME = 128
export const MAX_FOLDER = 64

/** The problem with the name of a new skill, in one sentence; undefined if it is valid. */
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

/** Splits a path that was entered instead of a name into name and parent folder. */
export function splitNamePath(path: string): { name: string; dir: string } | undefined {
  const parts = path.replaceAll('\\', '/').replace(/\/+$/, '').split('/')
  const last = parts.pop() ?? ''
  const name = findNameProblem(last) === undefined ? last : suggestName(last)
  const dir = parts.join('/') || '/'
  return name === undefined || parts.length === 0 ? undefined : { name, dir }
}

/** The reason why code could not import an action of this name; undefined if it could. */
export function findImportProblem(name: string): string | undefined {
  const part = findUnimportablePart(name)
  if (part === undefined) return undefined
  const reason = /^\d/.test(part) ? 'begins with a digit' : 'is a Python keyword'
  return `Code could not import "${name}", because "${part}" ${reason}; expected another name for an action`
}

/** The closest valid name. */
export function suggestName(name: string): string | undefined {
  const better = transliterate(name.trim().toLowerCase())
    .replace(/[\s/:]+/g, '-')
    .replace(/[^a-z0-9_.-]/g, '')
    .replace(/\.{2,}/g, '.')
    .replace(/^[.-]+|[.-]+$/g, '')
  return better !== name && findNameProblem(better) === undefined ? better : undefined
}

/** Letters that Unicode does not decompose into a base letter and an accent. */
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

/** Removes accents from Latin letters; other scripts are unchanged and removed later. */
function transliterate(text: string): string {
  return text
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .replace(/[ßæœøđðþłı]/g, (letter) => LETTER_SPELLINGS[letter] ?? letter)
}

/** Folder and Agent Skills name: the last segment, in letters, digits and single hyphens. */
export function deriveFolderName(name: string): string {
  const last = name.slice(name.lastIndexOf('.') + 1)
  return last.replace(/[_-]+/g, '-').replace(/^-|-$/g, '')
}

/** Heading for a skill: `leads-sync` becomes `Leads sync`. */
export function deriveTitle(name: string): string {
  const title = deriveFolderName(name).replace(/-/g, ' ')
  return title.charAt(0).toUpperCase() + title.slice(1)
}
