import { statSync } from 'node:fs'
import { SkillsError } from '../../../errors.ts'
import { readUpTo } from '../../../util/bytes/read-up-to.ts'
import { writeFileWhole } from '../../../util/files/write-file-whole.ts'
import { parseStrictJson, type JsonValue } from '../../signing/envelope/strict-json.ts'
import { isSkillName } from '../../skills/manifest/fields.ts'

/** How the user agreed to a root. */
export type RootApproval = 'prompt' | 'yes' | 'digest'

/** A skill of a root, for the comparison with the next version. */
export interface PinnedSkill {
  name: string
  version: string
  /** Folder below the root; empty if the root is the skill. */
  path: string
}

/** Exact content of a root that is fetched. */
export interface RootPin {
  /** As in the configuration. */
  source: string
  /** A source that always has the same files: a commit, a digest, an exact version. */
  resolved: string
  /** Digest of all files. */
  tree: string
  skills: readonly PinnedSkill[]
  /** `<skill>: <kind> <value>`, sorted. */
  capabilities: readonly string[]
  approved: { tree: string; capabilities: string; by: RootApproval }
}

const DIGEST = /^sha256:[0-9a-f]{64}$/
const HEX = /^[0-9a-f]{64}$/
const MAX_ROOTS = 200
const MAX_SKILLS = 5000
const MAX_CAPABILITIES = 50_000
const MAX_BYTES = 16 * 1024 ** 2

/** Reads the pins next to a configuration file; empty if there are none. */
export function readRootPins(file: string): RootPin[] {
  const stat = statSync(file, { throwIfNoEntry: false })
  if (!stat) return []
  if (!stat.isFile()) throw pinsError(file, 'it is not a file')
  const bytes = readUpTo(file, MAX_BYTES)
  if (!bytes) throw pinsError(file, 'it is too large')
  return parseRootPins(bytes.toString('utf8'), file)
}

/** Parses pins strictly: a key twice, an unknown key or a conflict marker is refused. */
export function parseRootPins(text: string, file: string): RootPin[] {
  const conflict = text.split('\n').findIndex((line) => /^(?:<{7}|={7}|>{7})(?: |$)/.test(line))
  if (conflict !== -1) throw pinsError(file, `line ${conflict + 1} is a conflict marker of git`)
  const refuse = (problem: string) => pinsError(file, problem)
  const root = parseStrictJson(text, refuse).only('version', 'roots')
  if (root.at('version').count() !== 1) throw root.at('version').refuse('1')
  const pins = root.at('roots').list(MAX_ROOTS).map(parsePin)
  const sources = pins.map(({ source }) => source)
  const twice = sources.find((source, at) => sources.indexOf(source) !== at)
  if (twice !== undefined) throw refuse(`the source "${twice}" is there twice`)
  return pins
}

function parsePin(value: JsonValue): RootPin {
  value.only('source', 'resolved', 'tree', 'skills', 'capabilities', 'approved')
  const tree = value.at('tree').matching(DIGEST, 'sha256: and 64 hexadecimal digits')
  const approved = value.at('approved').only('tree', 'capabilities', 'by')
  if (approved.at('tree').text() !== tree) throw approved.at('tree').refuse(`"${tree}"`)
  const by = approved.at('by').matching(/^(?:prompt|yes|digest)$/, 'prompt, yes or digest')
  return {
    source: value.at('source').text(),
    resolved: value.at('resolved').text(),
    tree,
    skills: value.at('skills').list(MAX_SKILLS).map(parsePinnedSkill),
    capabilities: value.at('capabilities').texts(MAX_CAPABILITIES),
    approved: {
      tree,
      capabilities: approved.at('capabilities').matching(HEX, '64 hexadecimal digits'),
      by: by as RootApproval,
    },
  }
}

const SKILL_LINE = /^([^@\s]+)@(\S+)(?: (.+))?$/

function parsePinnedSkill(value: JsonValue): PinnedSkill {
  const expected = '"<name>@<version> <folder>"'
  const [, name = '', version = '', path = ''] =
    SKILL_LINE.exec(value.matching(SKILL_LINE, expected)) ?? []
  if (!isSkillName(name)) throw value.refuse(expected)
  return { name, version, path }
}

/** Formats pins: sorted, a value on each line and no times, so that branches merge. */
export function formatRootPins(pins: readonly RootPin[]): string {
  const sorted = pins.toSorted((a, b) => (a.source < b.source ? -1 : 1))
  const roots = sorted.map((pin) => ({
    ...pin,
    skills: pin.skills.map(({ name, version, path }) => `${name}@${version} ${path}`.trimEnd()),
  }))
  return `${JSON.stringify({ version: 1, roots }, undefined, 2)}\n`
}

export async function writeRootPins(file: string, pins: readonly RootPin[]): Promise<void> {
  await writeFileWhole(file, formatRootPins(pins))
}

function pinsError(file: string, problem: string): SkillsError {
  return new SkillsError('lock/invalid', `The pins "${file}" are not valid: ${problem}`, {
    hint: 'Restore the file from version control, or delete it and type "skills roots fetch"',
  })
}
