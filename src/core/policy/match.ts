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
export type Names = readonly [string, ...string[]]

/** Whether a list of patterns takes something: an empty one takes nothing, `!` leaves out. */
export function takes(key: ListKey | 'doors', list: readonly string[], names: Names): boolean {
  if (key === 'network') return list.some((each) => coversText(each, names[0]))
  const hits = (pattern: string) => names.some((name) => fits(key, pattern, name))
  const wanted = list.filter((each) => !each.startsWith('!'))
  const unwanted = list.filter((each) => each.startsWith('!')).map((each) => each.slice(1))
  if (list.length === 0 || unwanted.some(hits)) return false
  return wanted.length === 0 || wanted.some(hits)
}

/** Whether a list that denies stands against something; a part of a network is enough. */
export function standsAgainst(
  key: ListKey | 'doors',
  list: readonly string[],
  names: Names,
): boolean {
  if (key !== 'network') return takes(key, list, names)
  return list.some((each) => coversText(each, names[0]) || coversText(names[0], each))
}

function fits(key: ListKey | 'doors', pattern: string, value: string): boolean {
  if (key === 'cwd') return compileGlob(pattern)(value)
  if (key === 'executables') return fitsExecutable(pattern, value)
  // Without a version, every version is meant.
  const given = key === 'skills' && !pattern.includes('@') ? value.replace(/@.*$/, '') : value
  return wildcard(pattern)(given)
}

/** A path is compared whole, a name with the last part alone. */
function fitsExecutable(pattern: string, value: string): boolean {
  if (pattern.includes('/')) return wildcard(pattern)(value)
  return wildcard(normal(pattern))(normal(value))
}

function normal(executable: string): string {
  return (executable.split('/').at(-1) ?? '').toLowerCase().replace(/\.exe$/, '')
}

/** Part by part, each where it stands first: callers choose values that would busy an expression. */
function wildcard(pattern: string): (value: string) => boolean {
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
function coversText(wide: string, narrow: string): boolean {
  if (wide === '*') return true
  const [outer, inner] = [parseNetworkEntry(wide), parseNetworkEntry(narrow)]
  return isEntry(outer) && isEntry(inner) && coversEntry(outer, inner)
}

function isEntry(parsed: ReturnType<typeof parseNetworkEntry>): parsed is NetworkEntry {
  return !('problem' in parsed)
}
