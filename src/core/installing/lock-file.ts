import { statSync } from 'node:fs'
import { parseLockedAgents, type LockedAgent } from './agents/locked-agent.ts'
import { isOnePlace, type RecordedSource } from './source-identity.ts'
import { parsePlain, parseStrictJson, type JsonValue } from '../signing/envelope/strict-json.ts'
import {
  digestContent,
  findContentPathProblem,
  type ContentEntry,
} from '../skills/content/content-manifest.ts'
import { isSkillName } from '../skills/manifest/fields.ts'
import { checkRecordedSource } from '../sources/skill-source.ts'
import { SkillsError } from '../../errors.ts'
import { readUpTo } from '../../util/bytes/read-up-to.ts'
import { writeFileWhole } from '../../util/files/write-file-whole.ts'
import { isSemver } from '../../util/semver.ts'

/** How the user agreed to install these files. */
export type ApprovalMeans = 'prompt' | 'yes' | 'digest'

/** An installed skill. */
export interface LockedSkill {
  name: string
  version: string
  /** As typed, relative to the project. */
  source: string
  /** Source that fetches the same files again: a path, or an address with a digest or a commit. */
  resolved: string
  /** `sha256:<hex>` of the archive; null for a folder. */
  archive: string | null
  /** Name of the folder in `.agents/skills`. */
  folder: string
  /** Digest of the files. */
  tree: string
  files: readonly ContentEntry[]
  capabilities: readonly string[]
  /** Names of the keys that verified the files. */
  signers: readonly string[]
  approved: { tree: string; capabilities: string; by: ApprovalMeans }
  /** Undefined in a change: as before. */
  agents?: readonly LockedAgent[] | undefined
}

const DIGEST = /^sha256:[0-9a-f]{64}$/
const HEX = /^[0-9a-f]{64}$/
const FILE_LINE = /^(100644|100755) (\d{1,12}) ([0-9a-f]{64}) (.+)$/
const FOLDER = /^[a-z0-9][a-z0-9_-]{0,63}$/
const MAX_SKILLS = 10_000
const MAX_TEXTS = 1000
const MAX_FILES = 10_000
const MAX_BYTES = 64 * 1024 ** 2

/** The lock that was parsed last. One command reads the same lock for each of its skills. */
let lastParsed: { file: string; bytes: Buffer; skills: readonly LockedSkill[] } | undefined

/** Reads the lock; empty if there is none. */
export function readLockFile(file: string): LockedSkill[] {
  const bytes = readLockBytes(file)
  if (!bytes) return []
  if (lastParsed?.file !== file || !lastParsed.bytes.equals(bytes)) {
    lastParsed = { file, bytes, skills: parseLockFile(bytes.toString('utf8'), file) }
  }
  return [...lastParsed.skills]
}

/** The bytes of the lock; undefined if there is none. */
export function readLockBytes(file: string): Buffer | undefined {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return undefined
  if (!stat.isFile()) throw lockError(file, 'it is not a file')
  const bytes = readUpTo(file, MAX_BYTES)
  if (!bytes) throw lockError(file, `it has more than ${MAX_BYTES} bytes`)
  return bytes
}

/** Parses a lock strictly. Every digest of files is computed again. */
export function parseLockFile(text: string, file: string): LockedSkill[] {
  const line = findConflictLine(text)
  if (line !== undefined) {
    throw lockError(
      file,
      `line ${line} is a conflict marker of git`,
      'Type "skills install --merge" to keep the skills of both sides',
    )
  }
  const refuse = (problem: string) => lockError(file, problem)
  const root = parseStrictJson(text, refuse).only('version', 'skills')
  if (root.at('version').count() !== 1) throw root.at('version').refuse('1')
  const skills = root.at('skills').list(MAX_SKILLS).map(parseSkill)
  for (const key of ['name', 'folder'] as const) {
    const twice = findRepeated(skills.map((each) => each[key]))
    if (twice !== undefined) throw refuse(`the ${key} "${twice}" is there twice`)
  }
  return skills
}

function findRepeated(values: readonly string[]): string | undefined {
  const known = new Set<string>()
  for (const value of values) {
    if (known.has(value)) return value
    known.add(value)
  }
  return undefined
}

const KEYS =
  'name version source resolved archive folder tree files capabilities signers approved agents'.split(
    ' ',
  )

function parseSkill(value: JsonValue): LockedSkill {
  value.only(...KEYS)
  const name = value.at('name')
  if (!isSkillName(name.text())) throw name.refuse('the name of a skill')
  const tree = value.at('tree').matching(DIGEST, 'sha256: and 64 hexadecimal digits')
  const files = value.at('files').list(MAX_FILES).map(parseFileLine)
  if (digestContent(files) !== tree) throw value.at('tree').refuse('the digest of its files')
  const archive = value.at('archive')
  const agents = parseLockedAgents(value.at('agents'))
  const approved = value.at('approved').only('tree', 'capabilities', 'by')
  if (approved.at('tree').text() !== tree) throw approved.at('tree').refuse(`"${tree}"`)
  return {
    name: name.text(),
    version: parseLockedVersion(value),
    ...parseRecordedSource(value),
    archive: archive.value === null ? null : archive.matching(DIGEST, 'null, or a digest'),
    folder: value.at('folder').matching(FOLDER, 'the name of a folder'),
    tree,
    files,
    capabilities: value.at('capabilities').texts(MAX_TEXTS),
    signers: value.at('signers').texts(MAX_TEXTS),
    approved: {
      tree,
      capabilities: approved.at('capabilities').matching(HEX, '64 hexadecimal digits'),
      by: approved
        .at('by')
        .matching(/^(?:prompt|yes|digest)$/, 'prompt, yes or digest') as ApprovalMeans,
    },
    ...(agents?.length ? { agents } : {}),
  }
}

/** Other texts could control the terminal that shows them. */
export function parseLockedVersion(value: JsonValue): string {
  const version = value.at('version')
  if (!isSemver(version.text())) throw version.refuse('a version such as "1.0.0"')
  return version.text()
}

/** An edited source would be asked by the next update, although the files are those of another one. */
export function parseRecordedSource(value: JsonValue): RecordedSource {
  const source = parsePlain(value.at('source'), 'a source of skills', checkRecordedSource)
  const resolved = parsePlain(value.at('resolved'), 'a source of skills', checkRecordedSource)
  if (isOnePlace({ source, resolved })) return { source, resolved }
  throw value.at('resolved').refuse(`a pinned text of "${source}"`)
}

function parseFileLine(value: JsonValue): ContentEntry {
  const text = value.matching(FILE_LINE, '"<mode> <size> <sha256> <path>"')
  const [, mode, size, sha256 = '', path = ''] = FILE_LINE.exec(text) ?? []
  if (findContentPathProblem(path) !== undefined) throw value.refuse('a path inside of the skill')
  return { mode: mode as ContentEntry['mode'], size: Number(size), sha256, path }
}

/** Formats the lock: sorted, a value on each line, so that branches merge. */
export function formatLockFile(skills: readonly LockedSkill[]): string {
  const sorted = skills.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  const entries = sorted.map((each) => ({
    name: each.name,
    version: each.version,
    source: each.source,
    resolved: each.resolved,
    archive: each.archive,
    folder: each.folder,
    tree: each.tree,
    files: each.files.map(({ mode, size, sha256, path }) => `${mode} ${size} ${sha256} ${path}`),
    capabilities: each.capabilities,
    signers: each.signers,
    approved: each.approved,
    ...(each.agents?.length ? { agents: each.agents } : {}),
  }))
  return `${JSON.stringify({ version: 1, skills: entries }, undefined, 2)}\n`
}

/** Calls `check` before the new content replaces the old one. */
export async function writeLockFile(
  file: string,
  skills: readonly LockedSkill[],
  check?: () => void,
): Promise<void> {
  await writeFileWhole(file, formatLockFile(skills), check ? { check } : {})
}

const RESTORE_HINT = 'Restore it from version control, or delete it and install the skills again'

export function lockError(file: string, problem: string, hint = RESTORE_HINT): SkillsError {
  return new SkillsError('lock/invalid', `The lock "${file}" is not valid: ${problem}`, { hint })
}

/** Lines that git writes between the sides of a merge. */
const MARKER = /^(?:<{7}|\|{7}|={7}|>{7})(?: |\r?$)/

/** Number of the first conflict marker of git. */
export function findConflictLine(text: string): number | undefined {
  const line = text.split('\n').findIndex((each) => MARKER.test(each))
  return line === -1 ? undefined : line + 1
}
