import { compileGlob } from '../../util/glob.ts'
import {
  coversEntry,
  parseNetworkEntry,
  type NetworkEntry,
} from '../skills/manifest/network-entry.ts'
import type { PolicyLists } from './policy.ts'

/** One kind of thing that a list is about. */
export type ListKey = keyof PolicyLists

/** A thing by all the names that it goes by. */
export type ValueNames = readonly [string, ...string[]]

/** Whether a list of patterns takes something: an empty one takes nothing, `!` leaves out. */
export function matchesList(
  key: ListKey | 'doors',
  list: readonly string[],
  names: ValueNames,
): boolean {
  if (key === 'network') return list.some((each) => coversDestination(each, names[0]))
  const hits = (pattern: string) => names.some((name) => matchesPattern(key, pattern, name))
  const wanted = list.filter((each) => !each.startsWith('!'))
  const unwanted = list.filter((each) => each.startsWith('!')).map((each) => each.slice(1))
  if (list.length === 0 || unwanted.some(hits)) return false
  return wanted.length === 0 || wanted.some(hits)
}

/** Whether a list that denies stands against something; a part of a network is enough. */
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
  // Without a version, every version is meant.
  const given = key === 'skills' && !pattern.includes('@') ? value.replace(/@.*$/, '') : value
  return compileWildcard(pattern)(given)
}

/** A path is compared whole, a name with the last part alone. */
function matchesExecutable(pattern: string, value: string): boolean {
  if (pattern.includes('/')) return compileWildcard(pattern)(value)
  return compileWildcard(normalizeExecutable(pattern))(normalizeExecutable(value))
}

function normalizeExecutable(executable: string): string {
  return (executable.split('/').at(-1) ?? '').toLowerCase().replace(/\.exe$/, '')
}

/** Part by part, each where it stands first: callers choose values that would busy an expression. */
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

/** What cannot be read covers nothing and is covered by everything alone. */
function coversDestination(wide: string, narrow: string): boolean {
  if (wide === '*') return true
  const [outer, inner] = [parseNetworkEntry(wide), parseNetworkEntry(narrow)]
  return isNetworkEntry(outer) && isNetworkEntry(inner) && coversEntry(outer, inner)
}

function isNetworkEntry(parsed: ReturnType<typeof parseNetworkEntry>): parsed is NetworkEntry {
  return !('problem' in parsed)
}
