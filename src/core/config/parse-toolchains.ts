import { resolve } from 'node:path'
import { findNearest } from '../../util/find-nearest.ts'
import type { Plain } from '../skills/manifest/manifest.ts'
import type { CacheSetting, ToolchainSetting } from './config.ts'

type FolderEntry = Record<string, Plain>
type ParsedFolders<T> = { value: Omit<T, 'place'>[] } | { expected: string }

const NAME_PATTERN = /^[A-Za-z_]\w*$/
const CACHE_FIELDS = ['path', 'environment']
const TOOLCHAIN_FIELDS = [...CACHE_FIELDS, 'bin']

/** Parses `[[toolchains]]`; the folders are checked later. */
export function parseToolchains(raw: Plain, base: string): ParsedFolders<ToolchainSetting> {
  return parseFolders(raw, TOOLCHAIN_FIELDS, (entry) => {
    const { bin = [] } = entry
    const folders = typeof bin === 'string' ? [bin] : bin
    if (!isFolderList(folders)) return '"bin" to be a folder below "path", or a list of them'
    return { ...readCommon(entry, base), bin: folders }
  })
}

/** Parses `[[caches]]`. */
export function parseCaches(raw: Plain, base: string): ParsedFolders<CacheSetting> {
  return parseFolders(raw, CACHE_FIELDS, (entry) => readCommon(entry, base))
}

function parseFolders<T>(
  raw: Plain,
  fields: readonly string[],
  read: (entry: FolderEntry) => T | string,
): { value: T[] } | { expected: string } {
  if (!Array.isArray(raw)) return { expected: 'a list of tables with "path"' }
  const value: T[] = []
  for (const [at, entry] of raw.entries()) {
    const parsed = findFolderProblem(entry, fields) ?? read(entry as FolderEntry)
    if (typeof parsed === 'string') return { expected: `in entry ${at + 1} ${parsed}` }
    value.push(parsed)
  }
  return { value }
}

function findFolderProblem(entry: Plain, fields: readonly string[]): string | undefined {
  if (!isFolderEntry(entry)) return 'a table with "path"'
  const unknown = Object.keys(entry).find((name) => !fields.includes(name))
  if (unknown !== undefined) {
    const suggestion = findNearest(unknown, fields)
    return `no "${unknown}"${suggestion === undefined ? '' : `; did you mean "${suggestion}"?`}`
  }
  const { path, environment = {} } = entry
  if (typeof path !== 'string' || path === '') return '"path" to be a folder'
  const isValid =
    isFolderEntry(environment) &&
    Object.entries(environment).every(
      ([name, text]) => NAME_PATTERN.test(name) && typeof text === 'string',
    )
  return isValid ? undefined : '"environment" to be a table of names and strings'
}

function readCommon({ path, environment }: FolderEntry, base: string): Omit<CacheSetting, 'place'> {
  const folder = path as string
  return {
    // The home folder is resolved when the folder is used.
    path: folder === '~' || folder.startsWith('~/') ? folder : resolve(base, folder),
    environment: (environment ?? {}) as Record<string, string>,
  }
}

function isFolderList(value: Plain): value is string[] {
  return (
    Array.isArray(value) &&
    value.every(
      (each) =>
        typeof each === 'string' && !each.startsWith('/') && !each.split('/').includes('..'),
    )
  )
}

function isFolderEntry(value: Plain): value is FolderEntry {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
