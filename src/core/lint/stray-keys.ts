import { memoize } from '../../util/memoize.ts'
import { findNearest } from '../../util/find-nearest.ts'
import {
  DEPENDENCY_KEYS,
  INPUT_KEYS,
  PERMISSION_KEYS,
  REQUIREMENT_KEYS,
  RUNTIME_KEYS,
  TOP_KEYS,
} from '../skills/manifest/fields.ts'
import type { LintedSkill } from './rule.ts'
import { toTable, getToml } from './skill-facts.ts'

/** A key of skill.toml that no reader knows, and the key that was probably meant. */
export interface StrayKey {
  path: readonly string[]
  /** In the same table: a misspelling. In another table: a key below the wrong heading. */
  suggestion: readonly string[] | undefined
}

/** Keys that authors know from other manifests. */
const ALIASES: ReadonlyMap<string, string> = new Map([
  ['desc', 'description'],
  ['summary', 'description'],
  ['keywords', 'tags'],
  ['type', 'kind'],
  ['lang', 'language'],
  ['entry', 'entrypoint'],
  ['main', 'entrypoint'],
  ['function', 'export'],
  ['handler', 'export'],
  ['hosts', 'network'],
  ['env', 'secrets'],
])

/**
 * Finds unknown keys and suggests a known key for each, computed once; a known key is suggested at
 * most once.
 */
export const findStrayKeys: (skill: LintedSkill) => readonly StrayKey[] = memoize((skill) =>
  getToml(skill) ? matchStrayKeys(skill) : [],
)

/** True if a key is present under another spelling or heading, so that it is not simply missing. */
export function isMisplaced(skill: LintedSkill, ...path: readonly string[]): boolean {
  return findStrayKeys(skill).some(({ suggestion }) => suggestion?.join('.') === path.join('.'))
}

/** Lists the known keys in the table of a path. */
export function listSiblingKeys(path: readonly string[]): readonly string[] {
  if (path.length === 1) return TOP_KEYS
  if (path[0] === 'runtime') return RUNTIME_KEYS
  if (path[0] === 'dependencies') return DEPENDENCY_KEYS
  if (path[0] === 'requires') return REQUIREMENT_KEYS
  return path[0] === 'permissions' ? PERMISSION_KEYS : INPUT_KEYS
}

function matchStrayKeys(skill: LintedSkill): StrayKey[] {
  const taken = new Set<string>()
  return skill.manifest.unknownKeys.map((dotted) => {
    const path = splitKeyPath(dotted)
    const isFree = (each: readonly string[]) => !taken.has(each.join('.')) && !isKeySet(skill, each)
    const suggestion = findInOtherTable(path, isFree) ?? findSimilarKey(path, isFree)
    if (suggestion) taken.add(suggestion.join('.'))
    return { path, suggestion }
  })
}

type IsUnusedKey = (path: readonly string[]) => boolean

/**
 * Finds the table of a key that was written after another table's heading, and so belongs to that
 * table.
 */
function findInOtherTable(
  path: readonly string[],
  isFree: IsUnusedKey,
): readonly string[] | undefined {
  const key = path.at(-1) as string
  const candidates = [[key], ['runtime', key], ['permissions', key]]
  return candidates.find((each) => {
    const isKnown = key !== '$schema' && listSiblingKeys(each).includes(key)
    return isKnown && each.join('.') !== path.join('.') && path[0] !== 'inputs' && isFree(each)
  })
}

function findSimilarKey(
  path: readonly string[],
  isFree: IsUnusedKey,
): readonly string[] | undefined {
  const key = path.at(-1) as string
  const table = path.slice(0, -1)
  const known = listSiblingKeys(path).filter((each) => isFree([...table, each]))
  const alias = ALIASES.get(key.toLowerCase())
  const guess =
    alias !== undefined && known.includes(alias)
      ? alias
      : key.length > 2 && key.length < 40
        ? findNearest(key, known)
        : undefined
  return guess === undefined ? undefined : [...table, guess]
}

/** Input names may contain dots; only the first and last segments are keys of the format. */
function splitKeyPath(dotted: string): string[] {
  const parts = dotted.split('.')
  const [first = ''] = parts
  if (first === 'inputs' && parts.length > 2) {
    return [first, parts.slice(1, -1).join('.'), parts.at(-1) as string]
  }
  if (['runtime', 'permissions', 'dependencies', 'requires'].includes(first))
    return [first, parts.slice(1).join('.')]
  return [dotted]
}

function isKeySet(skill: LintedSkill, path: readonly string[]): boolean {
  let value = getToml(skill)?.[path[0] as string]
  for (const step of path.slice(1)) value = toTable(value)[step]
  return value !== undefined
}
