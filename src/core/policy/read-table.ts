import { dirname, resolve } from 'node:path'
import { findNearest } from '../../util/find-nearest.ts'
import { parseBytes, parseDuration } from '../../util/quantity.ts'
import { formatManifestValue } from '../skills/manifest/non-finite.ts'
import type { Plain, PlainObject, TomlSource } from '../skills/manifest/source.ts'
import {
  findSharedOwners,
  parseNetworkEntry,
  type NetworkEntry,
} from '../skills/manifest/network-entry.ts'
import type { PolicyField, PolicyFields, PolicyType } from './policy-fields.ts'
import { createPolicyError, type PolicyPath } from './policy-error.ts'

/** Values of the fields that are present in a table. */
export type TableValues<Fields extends PolicyFields> = {
  -readonly [Name in keyof Fields]?: FieldValue<Fields[Name]['type']>
}

type FieldValue<Type extends PolicyType> = Type extends 'patterns' | 'networks' | 'words'
  ? readonly string[]
  : Type extends 'flag'
    ? boolean
    : Type extends 'duration' | 'bytes'
      ? number
      : string

/** Reads the fields of a table; tables named in `inner` are left to the caller. */
export function readPolicyTable<Fields extends PolicyFields>(
  toml: TomlSource,
  { path, fields, inner = [] }: { path: PolicyPath; fields: Fields; inner?: readonly string[] },
): TableValues<Fields> {
  const table = getTableAt(toml, path)
  const values: Record<string, unknown> = {}
  for (const [name, raw] of Object.entries(table)) {
    const fieldPath = [...path, name]
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined
    if (field) values[name] = readValue(toml, field, { raw, path: fieldPath })
    else if (!inner.includes(name))
      throw createUnknownSettingError(toml, fieldPath, [...Object.keys(fields), ...inner])
  }
  return values as TableValues<Fields>
}

/** A table; empty if it is missing. */
export function getTableAt(toml: TomlSource, path: PolicyPath): PlainObject {
  const value = path.reduce<Plain | undefined>((at, step) => (at as PlainObject)?.[step], toml.data)
  if (value === undefined) return {}
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  const message = `"${path.join('.')}" is ${formatManifestValue(value)}, expected a table`
  throw createPolicyError(toml, { path }, { message })
}

function createUnknownSettingError(toml: TomlSource, path: PolicyPath, known: readonly string[]) {
  const suggestion = findNearest(String(path.at(-1)), known)
  return createPolicyError(
    toml,
    { path, what: 'key' },
    {
      message: `Unknown setting "${path.join('.')}", expected one of ${known.join(', ')}`,
      hint: suggestion === undefined ? undefined : `Did you mean "${suggestion}"?`,
    },
  )
}

function readValue(
  toml: TomlSource,
  field: PolicyField,
  { raw, path }: { raw: Plain; path: PolicyPath },
): unknown {
  const value = READERS[field.type](raw, toml.file)
  if (value === undefined) {
    const message = `"${path.join('.')}" is ${formatManifestValue(raw)}, expected ${EXPECTED[field.type]}`
    throw createPolicyError(toml, { path }, { message })
  }
  if (field.type === 'patterns' || field.type === 'networks') {
    for (const [at, entry] of (value as readonly string[]).entries()) {
      checkEntry(toml, field, { entry, path: [...path, at] })
    }
  }
  return value
}

const READERS: Readonly<Record<PolicyType, (raw: Plain, file: string) => unknown>> = {
  patterns: toTexts,
  networks: toTexts,
  words: (raw) => (toTexts(raw)?.length ? raw : undefined),
  text: (raw) => (typeof raw === 'string' && raw !== '' ? raw : undefined),
  flag: (raw) => (typeof raw === 'boolean' ? raw : undefined),
  path: (raw, file) => (typeof raw === 'string' && raw ? resolve(dirname(file), raw) : undefined),
  duration: (raw) => parseQuantity(parseDuration, raw),
  bytes: (raw) => parseQuantity(parseBytes, raw),
}

const EXPECTED: Readonly<Record<PolicyType, string>> = {
  patterns: 'a list of strings',
  networks: 'a list of destinations such as "https://api.example.com"',
  words: 'a list of a program and its arguments',
  text: 'a string',
  flag: 'true or false',
  path: 'a path',
  duration: 'a duration such as "30s" or a number of milliseconds',
  bytes: 'a size such as "512MiB" or a number of bytes',
}

function toTexts(raw: Plain): readonly string[] | undefined {
  if (!Array.isArray(raw)) return undefined
  return raw.every((each) => typeof each === 'string' && each !== '')
    ? (raw as string[])
    : undefined
}

function parseQuantity(
  parse: (text: string) => number | undefined,
  raw: Plain,
): number | undefined {
  if (typeof raw !== 'string' && typeof raw !== 'number') return undefined
  const value = parse(String(raw))
  return value === undefined || value <= 0 ? undefined : value
}

/** Rejects a list of allowed hosts with unrelated owners. Such an entry may be denied. */
function checkOwners(
  toml: TomlSource,
  parsed: NetworkEntry,
  { entry, path }: { entry: string; path: PolicyPath },
): void {
  const shared = path.includes('allow') ? findSharedOwners(parsed) : undefined
  if (shared === undefined) return
  const message = `"${entry}" cannot be allowed: ${shared}`
  throw createPolicyError(
    toml,
    { path },
    { message, hint: 'List the hosts that skills connect to' },
  )
}

/** Rejects misspelt values: they would match nothing, which is dangerous in a deny list. */
function checkEntry(
  toml: TomlSource,
  { type, choices, isRelative }: PolicyField,
  { entry, path }: { entry: string; path: PolicyPath },
): void {
  if (type === 'networks') {
    const parsed = entry === '*' ? undefined : parseNetworkEntry(entry)
    if (!parsed) return
    if (!('problem' in parsed)) return checkOwners(toml, parsed, { entry, path })
    const message = `"${entry}" is not a valid destination: ${parsed.problem}`
    const hint = parsed.suggestion === undefined ? undefined : `Write "${parsed.suggestion}"`
    throw createPolicyError(toml, { path }, { message, hint })
  }
  const word = entry.replace(/^!/, '')
  if (isRelative && /^\/|\/$|(?:^|\/)\.\.(?:\/|$)/.test(word)) {
    const message = `"${entry}" is not a path relative to the repository, so it would match nothing`
    const hint = 'Write it as "src", or "src/**" with all subfolders'
    throw createPolicyError(toml, { path }, { message, hint })
  }
  if (!choices || word.includes('*') || choices.includes(word)) return
  const suggestion = findNearest(word, choices)
  const message = `"${entry}" is not one of ${choices.join(', ')}`
  const hint = suggestion === undefined ? undefined : `Did you mean "${suggestion}"?`
  throw createPolicyError(toml, { path }, { message, hint })
}
