import { statSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import type { InstallPlaces } from '../install-places.ts'
import { findConflictLine } from '../lock-file.ts'
import { parseStrictJson, type JsonValue } from '../../signing/envelope/strict-json.ts'
import { SkillsError } from '../../../errors.ts'
import { readUpTo } from '../../../util/bytes/read-up-to.ts'
import { toPrintable } from '../../../util/printable.ts'

/** `skills-lock`: of a project, version 1. `skill-lock`: of a user, version 3. */
export type ForeignFormat = 'skills-lock' | 'skill-lock'

export const FOREIGN_FORMATS = ['skills-lock', 'skill-lock'] as const

/** Name and version of the file of each format. */
export const FOREIGN_FILES: Readonly<Record<ForeignFormat, { name: string; version: number }>> = {
  'skills-lock': { name: 'skills-lock.json', version: 1 },
  'skill-lock': { name: '.skill-lock.json', version: 3 },
}

/** A skill in the lock of another installer. Nothing in it is proven. */
export interface ForeignEntry {
  name: string
  source: string
  sourceType: string
  sourceUrl: string | undefined
  /** Branch, tag or commit. */
  ref: string | undefined
  /** Path of SKILL.md in the source. */
  skillPath: string | undefined
  /** Version of an npm package. */
  version: string | undefined
  /** SHA-256 of the files, or the id of a tree of git; undefined if the entry has none. */
  hash: string | undefined
  /** Digest of the archive of a site. */
  siteDigest: string | undefined
}

export interface ForeignLock {
  format: ForeignFormat
  entries: readonly ForeignEntry[]
  /** The whole document, with the keys that are not read. */
  document: Readonly<Record<string, unknown>>
}

const MAX_BYTES = 1024 ** 2
const MAX_SKILLS = 1000
const MAX_NAME = 255
const MAX_TEXT = 2000

/** Reads the lock of another installer; undefined if there is none. */
export function readForeignLock(file: string): ForeignLock | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return undefined
  if (!stat.isFile()) throw foreignLockError(file, 'it is not a regular file')
  const bytes = readUpTo(file, MAX_BYTES)
  if (!bytes) throw foreignLockError(file, `it has more than ${MAX_BYTES} bytes`)
  return parseForeignLock(bytes.toString('utf8'), file)
}

/** Parses known keys strictly, and accepts unknown ones. */
export function parseForeignLock(text: string, file: string): ForeignLock {
  const line = findConflictLine(text)
  if (line !== undefined) {
    throw foreignLockError(
      file,
      `line ${line} is a conflict marker of git`,
      'Keep the entries of both sides, remove the markers, and try again',
    )
  }
  const root = parseStrictJson(text, (problem) => foreignLockError(file, problem))
  const version = root.at('version').count()
  const format = FOREIGN_FORMATS.find((each) => FOREIGN_FILES[each].version === version)
  if (format === undefined) throw root.at('version').refuse('1 or 3')
  const entries = root
    .at('skills')
    .members(MAX_SKILLS)
    .map(([name, value]) => parseEntry(name, value, format))
    .sort((a, b) => (a.name < b.name ? -1 : 1))
  return { format, entries, document: root.value as ForeignLock['document'] }
}

function parseEntry(name: string, value: JsonValue, format: ForeignFormat): ForeignEntry {
  if (name === '' || name.length > MAX_NAME) {
    throw value.refuse(`a name of 1 to ${MAX_NAME} characters`)
  }
  const hash = format === 'skills-lock' ? 'computedHash' : 'skillFolderHash'
  return {
    name,
    source: readNeededText(value.at('source')),
    sourceType: readNeededText(value.at('sourceType')),
    sourceUrl: readShortText(value.at('sourceBaseUrl')) ?? readShortText(value.at('sourceUrl')),
    ref: readForeignRef(value),
    skillPath: readShortText(value.at('skillPath')),
    version: readShortText(value.at('version')),
    hash: readDigest(value.at(hash), /^(?:|[0-9a-f]{40}|[0-9a-f]{64})$/),
    siteDigest: readDigest(value.at('wellKnownDigest'), /^sha256:[0-9a-f]{64}$/),
  }
}

/** The npm package "skills" has `ref`, and "gh skill" has `pinnedRef`. */
function readForeignRef(value: JsonValue): string | undefined {
  const ref = readShortText(value.at('ref'))
  const pinned = readShortText(value.at('pinnedRef'))
  if (ref === undefined || pinned === undefined || ref === pinned) return pinned ?? ref
  throw value.at('pinnedRef').refuse(`the same as its ref, ${JSON.stringify(ref)}`)
}

function readDigest(value: JsonValue, pattern: RegExp): string | undefined {
  if (value.isAbsent) return undefined
  return value.matching(pattern, 'a digest in hexadecimal digits') || undefined
}

/** Undefined if it is absent or empty. */
function readShortText(value: JsonValue): string | undefined {
  if (value.isAbsent) return undefined
  const text = value.text()
  if (text.length > MAX_TEXT) throw value.refuse(`at most ${MAX_TEXT} characters`)
  return text || undefined
}

function readNeededText(value: JsonValue): string {
  const text = readShortText(value)
  if (text === undefined) throw value.refuse('a text')
  return text
}

export function foreignLockError(
  file: string,
  problem: string,
  hint = 'Write it again with the tool that wrote it, or install the skills one by one',
): SkillsError {
  return new SkillsError(
    'lock/invalid',
    `The lock "${toPrintable(file)}" is not valid: ${toPrintable(problem)}`,
    { hint },
  )
}

/** The file that the other tool reads: of a project, or of the user. */
export function locateForeignLock(
  { scope, base }: InstallPlaces,
  env: Readonly<Record<string, string | undefined>>,
): string {
  if (scope === 'project') return join(base, FOREIGN_FILES['skills-lock'].name)
  const state = env['XDG_STATE_HOME']
  const { name } = FOREIGN_FILES['skill-lock']
  if (state) return join(state, 'skills', name)
  return join(env['HOME'] || homedir(), '.agents', name)
}

/** The format of that file. */
export function chooseFormat({ scope }: InstallPlaces): ForeignFormat {
  return scope === 'project' ? 'skills-lock' : 'skill-lock'
}
