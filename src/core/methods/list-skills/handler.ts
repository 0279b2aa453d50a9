import { invalidParamError } from '../../../errors.ts'
import { memoize } from '../../../util/memoize.ts'
import { compareSemver } from '../../../util/semver.ts'
import { readPlainKinds } from '../../adopting/read-plain-kinds.ts'
import type { SkillEntry } from '../../skills/repository/repository.ts'
import type { Services } from '../../services.ts'
import type { ListSkillsParams, ListedSkill, ListSkillsResult } from './definition.ts'
import { DEFAULT_LIMIT, MAX_LIMIT } from './page-size.ts'

/**
 * `list_skills`: returns a page of skills in their order; the cursor names the last one returned.
 */
export async function listSkills(
  services: Pick<Services, 'repository'>,
  params: ListSkillsParams = {},
): Promise<ListSkillsResult> {
  const limit = params.limit ?? DEFAULT_LIMIT
  if (!Number.isInteger(limit) || limit < 1 || limit > MAX_LIMIT) {
    throw invalidParamError('limit', `expected a whole number from 1 to ${MAX_LIMIT}, got ${limit}`)
  }
  const visible = filterByNamespace(await services.repository.list(), params.namespace)
  const start = params.cursor == null ? 0 : findFirstAfter(visible, decodeCursor(params.cursor))
  const page = await readPlainKinds(services.repository, visible.slice(start, start + limit))
  const last = page.at(-1)
  return {
    skills: page.map((entry) => toListedSkill(entry, params.detail ?? 'names')),
    next_cursor: last && start + limit < visible.length ? encodeCursor(last) : null,
  }
}

/** Skills by namespace, cached per listing: filtering is slow with thousands of skills. */
const entriesByNamespace = memoize(
  (_entries: readonly SkillEntry[]) => new Map<string, readonly SkillEntry[]>(),
)
const MAX_NAMESPACES = 100

function filterByNamespace(
  entries: readonly SkillEntry[],
  namespace: string | undefined,
): readonly SkillEntry[] {
  if (namespace === undefined || namespace === '') return entries
  const cached = entriesByNamespace(entries)
  const found = cached.get(namespace) ?? entries.filter((entry) => isInNamespace(entry, namespace))
  if (cached.size < MAX_NAMESPACES) cached.set(namespace, found)
  return found
}

/** True for the namespace itself and its dotted descendants. */
function isInNamespace(entry: SkillEntry, namespace: string | undefined): boolean {
  if (namespace === undefined || namespace === '') return true
  return entry.namespace === namespace || entry.namespace.startsWith(`${namespace}.`)
}

function toListedSkill(entry: SkillEntry, detail: 'names' | 'summary'): ListedSkill {
  const { name, version, description, namespace, kind } = entry
  const listed = { name, version, description, namespace, kind }
  if (detail === 'names') return listed
  return {
    ...listed,
    tags: entry.tags,
    short_description: entry.shortDescription ?? null,
    inputs: entry.inputs,
  }
}

type CursorPosition = readonly [namespace: string, name: string, version: string]

function encodeCursor({ namespace, name, version }: SkillEntry): string {
  return Buffer.from(JSON.stringify([namespace, name, version])).toString('base64url')
}

function decodeCursor(cursor: string): CursorPosition {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'))
    if (
      Array.isArray(parsed) &&
      parsed.length === 3 &&
      parsed.every((each) => typeof each === 'string') &&
      Buffer.from(JSON.stringify(parsed)).toString('base64url') === cursor
    ) {
      return parsed as unknown as CursorPosition
    }
  } catch {
    // Reported below, like every other invalid cursor.
  }
  throw invalidParamError('cursor', 'it is not a cursor of list_skills')
}

/**
 * Position after a skill, which may have been removed meanwhile: the order decides, not the
 * identity.
 */
function findFirstAfter(
  entries: readonly SkillEntry[],
  [namespace, name, version]: CursorPosition,
): number {
  const index = entries.findIndex((entry) => {
    if (entry.namespace !== namespace) return entry.namespace > namespace
    if (entry.name !== name) return entry.name > name
    return compareSemver(entry.version, version) < 0
  })
  return index === -1 ? entries.length : index
}
