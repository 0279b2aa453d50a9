import { compileGlob } from '../../util/glob.ts'
import {
  coversEntry,
  parseNetworkEntry,
  type NetworkEntry,
} from '../skills/manifest/network-entry.ts'
import type { PolicyLists } from './policy.ts'

/** A kind of value that a list is about. */
export type ListKey = keyof PolicyLists

/** All names of one value. */
export type ValueNames = readonly [string, ...string[]]

/** True if a list of patterns matches a value: an empty list matches nothing, `!` excludes. */
export function matchesList(
  key: ListKey | 'doors',
  list: readonly string[],
  names: ValueNames,
): boolean {
  if (key === 'network') return list.some((each) => coversDestination(each, names[0]))
  const matchesAny = (pattern: string) => names.some((name) => matchesPattern(key, pattern, name))
  const included = list.filter((each) => !each.startsWith('!'))
  const excluded = list.filter((each) => each.startsWith('!')).map((each) => each.slice(1))
  if (list.length === 0 || excluded.some(matchesAny)) return false
  return included.length === 0 || included.some(matchesAny)
}

/** True if a deny list matches a value; for networks a partial overlap is enough. */
export function matchesDenyList(
  key: ListKey | 'doors',
  list: readonly string[],
  names: ValueNames,
): boolean {
  if (key !== 'network') return matchesList(key, list, names)
  return list.some((each) => coversDestination(each, names[0]) || coversDestination(names[0], each))
}

function matchesPattern(key: ListKey | 'doors', pattern: string, value: string): boolean {
  if (key === 'cwd') return compileGlob(pattern)(value)
  if (key === 'executables') return matchesExecutable(pattern, value)
  // A pattern without a version matches every version.
  const compared = key === 'skills' && !pattern.includes('@') ? value.replace(/@.*$/, '') : value
  return compileWildcard(pattern)(compared)
}

/** Compares a path with the complete path, a name with the last segment only. */
function matchesExecutable(pattern: string, value: string): boolean {
  if (pattern.includes('/')) return compileWildcard(pattern)(value)
  return compileWildcard(normalizeExecutable(pattern))(normalizeExecutable(value))
}

function normalizeExecutable(executable: string): string {
  return (executable.split('/').at(-1) ?? '').toLowerCase().replace(/\.exe$/, '')
}

/**
 * Matches parts from left to right instead of compiling an expression: callers choose the values
 * and could cause catastrophic backtracking.
 */
function compileWildcard(pattern: string): (value: string) => boolean {
  const [first = '', ...rest] = pattern.split('*')
  const last = rest.pop()
  if (last === undefined) return (value) => value === pattern
  return (value) => {
    const end = value.length - last.length
    if (!value.startsWith(first) || !value.endsWith(last)) return false
    let at = first.length
    for (const part of rest) {
      const found = value.indexOf(part, at)
      if (found === -1) return false
      at = found + part.length
    }
    return at <= end
  }
}

/** True if `wide` covers `narrow`. An invalid entry covers nothing and is covered only by `*`. */
function coversDestination(wide: string, narrow: string): boolean {
  if (wide === '*') return true
  const [outer, inner] = [parseNetworkEntry(wide), parseNetworkEntry(narrow)]
  return isNetworkEntry(outer) && isNetworkEntry(inner) && coversEntry(outer, inner)
}

function isNetworkEntry(parsed: ReturnType<typeof parseNetworkEntry>): parsed is NetworkEntry {
  return !('problem' in parsed)
}
