import { findNearest } from '../../util/find-nearest.ts'
import { parseDuration } from '../../util/quantity.ts'
import type { Plain } from '../skills/manifest/manifest.ts'
import type { WorkspaceCommandSetting, WorkspaceFileSetting } from './config.ts'

type ParsedList<T> = { value: T[] } | { expected: string }
type PreparedTable = Record<string, Plain>

/** A field: whether it is required, and its valid values. */
interface PreparedField {
  isRequired?: true
  expected: string
  accepts: (value: Plain) => boolean
}

const TEXT: PreparedField = {
  expected: 'a string',
  accepts: (value) => isText(value) && value !== '',
}
const TEXTS: PreparedField = { expected: 'a list of strings', accepts: isTextArray }
const FLAG: PreparedField = {
  expected: 'true or false',
  accepts: (value) => typeof value === 'boolean',
}
const OCTAL: PreparedField = {
  expected: 'permissions such as "0644"',
  accepts: (value) => isText(value) && /^0?[0-7]{3}$/.test(value),
}
const VARIABLES: PreparedField = {
  expected: 'a table of names and strings',
  accepts: (value) =>
    isPreparedTable(value) &&
    Object.entries(value).every(([name, text]) => /^[A-Za-z_]\w*$/.test(name) && isText(text)),
}
const DURATION: PreparedField = {
  expected: 'a duration such as "30s" or a number of milliseconds',
  accepts: (value) => readDurationField(value) !== undefined,
}
/** A path below the top of a workspace. */
const WORKSPACE_PATH: PreparedField = {
  expected: 'a path such as work/settings.json, outside of skills/',
  accepts: (value) => isText(value) && isWorkspacePath(value),
}
const WORKSPACE_PATHS: PreparedField = {
  expected: 'a list of paths such as work/settings.json, outside of skills/',
  accepts: (value) => isTextArray(value) && value.every(isWorkspacePath),
}

const FILE_FIELDS: Readonly<Record<string, PreparedField>> = {
  key: TEXT,
  target: { ...WORKSPACE_PATH, isRequired: true },
  content: { expected: 'a string', accepts: isText },
  from: TEXT,
  mode: OCTAL,
  link: FLAG,
  pin: FLAG,
  optional: FLAG,
}

const COMMAND_FIELDS: Readonly<Record<string, PreparedField>> = {
  key: TEXT,
  cmd: { ...TEXT, isRequired: true },
  args: TEXTS,
  env: VARIABLES,
  cwd: TEXT,
  timeout: DURATION,
  marker_path: WORKSPACE_PATH,
  observed_paths: WORKSPACE_PATHS,
  fingerprint_inputs: WORKSPACE_PATHS,
  fingerprint_salt: TEXT,
  optional: FLAG,
}

/** Parses `[[workspace.files]]`: files that every workspace contains before a command runs. */
export function parseWorkspaceFiles(raw: Plain): ParsedList<WorkspaceFileSetting> {
  return parsePreparedList(raw, FILE_FIELDS, (table) => {
    const { target, content, from, mode } = table as Record<string, string | undefined>
    if ((content === undefined) === (from === undefined)) return 'either "content" or "from"'
    const key = readTextField(table, 'key') ?? `file:${target}`
    const bits = mode === undefined ? undefined : Number.parseInt(mode, 8)
    const isSet = (name: string) => table[name] === true
    const flags = { link: isSet('link'), pin: isSet('pin'), optional: isSet('optional') }
    return { key, target: target ?? '', content, from, mode: bits, ...flags }
  })
}

/** Parses `[[workspace.commands]]` and `[[workspace.init]]`. */
export function parseWorkspaceCommands(raw: Plain): ParsedList<WorkspaceCommandSetting> {
  return parsePreparedList(raw, COMMAND_FIELDS, (table) => {
    const cmd = readTextField(table, 'cmd') ?? ''
    const args = readTextsField(table, 'args')
    return {
      key: readTextField(table, 'key') ?? `command:${[cmd, ...args].join(' ')}`,
      cmd,
      args,
      env: (table['env'] ?? {}) as Record<string, string>,
      cwd: readTextField(table, 'cwd'),
      timeoutMs: readDurationField(table['timeout']),
      marker: readTextField(table, 'marker_path'),
      observed: readTextsField(table, 'observed_paths'),
      inputs: readTextsField(table, 'fingerprint_inputs'),
      salt: readTextField(table, 'fingerprint_salt'),
      optional: table['optional'] === true,
    }
  })
}

/** Parses entries with unique keys; errors name the entry's number. */
function parsePreparedList<T extends { key: string }>(
  raw: Plain,
  fields: Readonly<Record<string, PreparedField>>,
  read: (table: PreparedTable) => T | string,
): ParsedList<T> {
  if (!Array.isArray(raw)) return { expected: 'a list of tables' }
  const value: T[] = []
  for (const [at, entry] of raw.entries()) {
    const problem = isPreparedTable(entry) ? findWrongField(entry, fields) : 'a table'
    const parsed = problem ?? read(entry as PreparedTable)
    if (typeof parsed === 'string') return { expected: `in entry ${at + 1} ${parsed}` }
    if (value.some(({ key }) => key === parsed.key)) {
      return { expected: `in entry ${at + 1} another "key" than "${parsed.key}"` }
    }
    value.push(parsed)
  }
  return { value }
}

function findWrongField(
  entry: PreparedTable,
  fields: Readonly<Record<string, PreparedField>>,
): string | undefined {
  const names = Object.keys(fields)
  const unknownField = Object.keys(entry).find((name) => !names.includes(name))
  if (unknownField !== undefined) {
    const suggestion = findNearest(unknownField, names)
    return `no "${unknownField}"${suggestion === undefined ? '' : `; did you mean "${suggestion}"?`}`
  }
  for (const [name, { isRequired: isNeeded, expected, accepts: fits }] of Object.entries(fields)) {
    const value = entry[name]
    if (value === undefined && isNeeded) return `"${name}"`
    if (value !== undefined && !fits(value)) return `"${name}" to be ${expected}`
  }
  return undefined
}

function isWorkspacePath(path: string): boolean {
  const parts = path.split('/')
  const isPlain = parts.every((part) => !['', '.', '..'].includes(part))
  return isPlain && parts[0] !== 'skills' && !/[\\\0]/.test(path)
}

function readDurationField(value: Plain | undefined): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const ms = parseDuration(String(value))
  return ms !== undefined && ms > 0 ? ms : undefined
}

function readTextField(table: PreparedTable, name: string): string | undefined {
  return table[name] as string | undefined
}

function readTextsField(table: PreparedTable, name: string): string[] {
  return (table[name] ?? []) as string[]
}

function isText(value: Plain): value is string {
  return typeof value === 'string'
}

function isTextArray(value: Plain): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isPreparedTable(value: Plain): value is PreparedTable {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
