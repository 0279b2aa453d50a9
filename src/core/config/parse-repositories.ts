import { resolve } from 'node:path'
import { findNearest } from '../../util/find-nearest.ts'
import type { Plain } from '../skills/manifest/manifest.ts'
import { REPOSITORY_MODES, type RepositorySetting } from './config.ts'

/** A parsed table of repositories, or the expected value and its path. */
type ParsedRepositories =
  | { value: Record<string, Omit<RepositorySetting, 'place'>> }
  | { expected: string; at: readonly string[] }

const NAME_PATTERN = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/
const REPOSITORY_FIELDS = ['path', 'mode']

/** Parses `name = "path"` and `name = { path, mode }`; the folders are checked later. */
export function parseRepositories(raw: Plain, base: string): ParsedRepositories {
  if (!isRepositoryTable(raw)) return { expected: 'a table of names and folders', at: [] }
  const value: Record<string, Omit<RepositorySetting, 'place'>> = {}
  for (const [name, entry] of Object.entries(raw)) {
    const parsed = parseRepository(name, entry, base)
    if ('expected' in parsed) return parsed
    value[name] = parsed
  }
  return { value }
}

type RepositoryEntryProblem = { expected: string; at: readonly string[] }

function parseRepository(
  name: string,
  entry: Plain,
  base: string,
): Omit<RepositorySetting, 'place'> | RepositoryEntryProblem {
  if (!NAME_PATTERN.test(name)) {
    const expected = 'a name of at most 128 letters, digits, ".", "_" and "-"'
    return { expected, at: [name] }
  }
  const table = typeof entry === 'string' ? { path: entry } : entry
  if (!isRepositoryTable(table))
    return { expected: 'a path, or a table with path and mode', at: [name] }
  const unknownField = Object.keys(table).find((each) => !REPOSITORY_FIELDS.includes(each))
  if (unknownField !== undefined) {
    return {
      expected: `path and mode alone${suggestWord(unknownField, REPOSITORY_FIELDS)}`,
      at: [name, unknownField],
    }
  }
  const { path, mode = 'read-only' } = table
  if (typeof path !== 'string' || path === '') {
    return { expected: 'a path', at: path === undefined ? [name] : [name, 'path'] }
  }
  if (isRepositoryMode(mode)) return { path: resolve(base, path), mode }
  const expected = `one of ${REPOSITORY_MODES.join(', ')}${suggestWord(mode, REPOSITORY_MODES)}`
  return { expected, at: [name, 'mode'] }
}

function suggestWord(input: Plain, choices: readonly string[]): string {
  const suggestion = typeof input === 'string' ? findNearest(input, choices) : undefined
  return suggestion === undefined ? '' : `; did you mean "${suggestion}"?`
}

function isRepositoryMode(mode: Plain): mode is RepositorySetting['mode'] {
  return (REPOSITORY_MODES as readonly Plain[]).includes(mode)
}

function isRepositoryTable(raw: Plain | undefined): raw is Record<string, Plain> {
  return typeof raw === 'object' && raw !== null && !Array.isArray(raw)
}
