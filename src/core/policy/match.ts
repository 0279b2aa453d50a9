import { compileGlob } from '../../util/glob/glob.ts'
import {
  coversEntry,
  parseNetworkEntry,
  type NetworkEntry,
} from '../skills/manifest/network-entry.ts'
import type { PolicyLists } from './policy.ts'
import { PrefixIndex } from './prefix-index.ts'

/** A kind of value that a list is about. */
export type ListKey = keyof PolicyLists | 'doors'

/** One value of a request. */
export interface NamedValue {
  /** Its names, any of which a list may contain. The first one is shown in messages. */
  names: readonly [string, ...string[]]
  /** Further names, which can deny the value and never allow it. */
  aliases?: readonly string[]
}

/** A list of patterns, compiled once: a policy has up to 1 MB of them, and every call reads it. */
interface CompiledList {
  key: ListKey
  isEmpty: boolean
  /** True if the list consists of exclusions. */
  hasOnlyExclusions: boolean
  includes: (name: string) => boolean
  excludes: (name: string) => boolean
}

const COMPILED_LISTS = new WeakMap<readonly string[], CompiledList>()

/** True if a list of patterns matches a value: an empty list matches nothing, `!` excludes. */
export function matchesList(
  key: ListKey,
  list: readonly string[],
  { names, aliases = [] }: NamedValue,
): boolean {
  const compiled = compileList(key, list)
  if (compiled.isEmpty) return false
  if ([...names, ...aliases].some(compiled.excludes)) return false
  return compiled.hasOnlyExclusions || comparedNames(key, names).some(compiled.includes)
}

/** True if a deny list matches a value; for networks a partial overlap is enough. */
export function matchesDenyList(
  key: ListKey,
  list: readonly string[],
  { names, aliases = [] }: NamedValue,
): boolean {
  const compiled = compileList(key, list)
  if (compiled.isEmpty || names.some(compiled.excludes)) return false
  if (compiled.hasOnlyExclusions) return true
  if (comparedNames(key, [...names, ...aliases]).some(compiled.includes)) return true
  return key === 'network' && list.some((each) => coversDestination(names[0], each))
}

/**
 * Returns the text with which each value that a pattern matches begins: of one of the forms that
 * `listForms` returns.
 */
export function getLiteralPrefix(key: ListKey, pattern: string): string {
  if (key === 'cwd') return pattern.replace(/^\.\//, '').replace(/\/\*\*$|[*?[{].*/s, '')
  const isName = key === 'executables' && !pattern.includes('/')
  return (isName ? normalizeExecutable(pattern) : pattern).replace(/\*.*/s, '')
}

/** Returns the forms of a value that patterns are compared with. */
export function listForms(key: ListKey, value: string): readonly string[] {
  return key === 'executables' ? [value, normalizeExecutable(value)] : [value]
}

/** A destination has one name. */
function comparedNames(key: ListKey, names: readonly string[]): readonly string[] {
  return key === 'network' ? names.slice(0, 1) : names
}

function compileList(key: ListKey, list: readonly string[]): CompiledList {
  const known = COMPILED_LISTS.get(list)
  if (known?.key === key) return known
  const isExclusion = (pattern: string) => key !== 'network' && pattern.startsWith('!')
  const included = list.filter((each) => !isExclusion(each))
  const excluded = list.filter(isExclusion).map((each) => each.slice(1))
  const compiled: CompiledList = {
    key,
    isEmpty: list.length === 0,
    hasOnlyExclusions: included.length === 0,
    includes: compilePatterns(key, included),
    excludes: compilePatterns(key, excluded),
  }
  COMPILED_LISTS.set(list, compiled)
  return compiled
}

function compilePatterns(key: ListKey, patterns: readonly string[]): (name: string) => boolean {
  if (patterns.length === 0) return () => false
  if (key === 'network') return compileDestinations(patterns)
  const index = new PrefixIndex<(name: string) => boolean>()
  for (const pattern of patterns) {
    index.add(
      getLiteralPrefix(key, pattern),
      compileOnce(() => compilePattern(key, pattern)),
    )
  }
  return (name) => listForms(key, name).some((form) => index.some(form, (matches) => matches(name)))
}

/** Most patterns of a long list are never compared. */
function compileOnce(compile: () => (name: string) => boolean): (name: string) => boolean {
  let compiled: ((name: string) => boolean) | undefined
  return (name) => (compiled ??= compile())(name)
}

function compilePattern(key: ListKey, pattern: string): (name: string) => boolean {
  if (key === 'cwd') return compileGlob(pattern)
  if (key === 'executables') return compileExecutable(pattern)
  const matches = compileWildcard(pattern)
  if (key !== 'skills' || pattern.includes('@')) return matches
  return (name) => matches(removeVersion(name))
}

/** Compares a path with the complete path, a name with the last segment only. */
function compileExecutable(pattern: string): (name: string) => boolean {
  if (pattern.includes('/')) return compileWildcard(pattern)
  const matches = compileWildcard(normalizeExecutable(pattern))
  return (name) => matches(normalizeExecutable(name))
}

function normalizeExecutable(executable: string): string {
  return (executable.split('/').at(-1) ?? '').toLowerCase().replace(/\.exe$/, '')
}

function removeVersion(skill: string): string {
  return skill.replace(/@.*$/, '')
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

/** Hosts are looked up, because a list may have thousands; only wildcards are tried in turn. */
function compileDestinations(patterns: readonly string[]): (name: string) => boolean {
  const coversAll = patterns.includes('*')
  const entries = patterns.map(parseNetworkEntry).filter(isNetworkEntry)
  const exact = new Set(entries.map(formatEntry))
  const wildcards = entries.filter(({ wildcard }) => wildcard)
  return (name) => {
    if (coversAll) return true
    const entry = parseNetworkEntry(name)
    if (!isNetworkEntry(entry)) return false
    return exact.has(formatEntry(entry)) || wildcards.some((each) => coversEntry(each, entry))
  }
}

function formatEntry({ scheme, host, wildcard, port }: NetworkEntry): string {
  return `${scheme}://${wildcard ? '*.' : ''}${host}:${port}`
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
