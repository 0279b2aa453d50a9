import { SkillsError } from '../../errors.ts'
import { findDeepNesting } from '../skills/manifest/nesting.ts'

/** A skill that an index offers. */
export interface OfferedEntry {
  /** Name in the index, by which it is installed. */
  name: string
  version: string | undefined
  description: string
  tags: readonly string[]
  /** Address of its files as written, relative to the index. */
  url: string | undefined
}

/** Content of an index. */
export interface ParsedIndex {
  skills: readonly OfferedEntry[]
  /** Number of entries without a valid name. */
  invalid: number
  /** Names that the index has more than once, of which the first entry counts. */
  repeated: readonly string[]
}

const MAX_ENTRIES = 20_000
const MAX_DESCRIPTION = 1024
const MAX_TAGS = 32
const NAME = /^[a-z0-9](?:[a-z0-9._-]{0,62}[a-z0-9])?$/
const VERSION = /^\d[0-9A-Za-z.+-]{0,63}$/

/** Parses a well-known index. Unknown keys are ignored, and entries without a name are counted. */
export function parseIndex(text: string, place: string): ParsedIndex {
  const entries = readIndexEntries(text, place)
  const skills = new Map<string, OfferedEntry>()
  const repeated = new Set<string>()
  let invalid = 0
  for (const raw of entries) {
    const entry = parseOffered(raw)
    if (!entry) invalid += 1
    else if (skills.has(entry.name)) repeated.add(entry.name)
    else skills.set(entry.name, entry)
  }
  return { skills: [...skills.values()], invalid, repeated: [...repeated].sort() }
}

function readIndexEntries(text: string, place: string): unknown[] {
  if (findDeepNesting(text) !== undefined) throw indexError(place, 'it is nested too deeply')
  let document: unknown
  try {
    document = JSON.parse(text)
  } catch {
    throw indexError(place, 'it is not JSON')
  }
  const skills = isObject(document) ? document['skills'] : undefined
  if (!Array.isArray(skills)) throw indexError(place, 'it has no list "skills"')
  if (skills.length > MAX_ENTRIES) {
    throw indexError(place, `it has ${skills.length} skills, expected at most ${MAX_ENTRIES}`)
  }
  return skills
}

function parseOffered(raw: unknown): OfferedEntry | undefined {
  if (!isObject(raw)) return undefined
  const { name, version, description, tags, url } = raw
  if (typeof name !== 'string' || !NAME.test(name)) return undefined
  return {
    name,
    version: typeof version === 'string' && VERSION.test(version) ? version : undefined,
    description: typeof description === 'string' ? description.slice(0, MAX_DESCRIPTION) : '',
    tags: Array.isArray(tags) ? tags.filter(isTag).slice(0, MAX_TAGS) : [],
    url: typeof url === 'string' ? url : undefined,
  }
}

function isTag(value: unknown): value is string {
  return typeof value === 'string' && value.length <= 64
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function indexError(place: string, problem: string): SkillsError {
  return new SkillsError('remote/unexpected', `The index "${place}" is not valid: ${problem}`, {
    hint: 'Check the address in "indexes" of the configuration',
  })
}
