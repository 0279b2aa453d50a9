import { nearest } from '../../util/nearest.ts'
import { parseDuration } from '../../util/quantity.ts'
import type { Plain } from '../skills/manifest/manifest.ts'
import type { PreparedCommand, PreparedFile } from './config.ts'

type ParsedList<T> = { value: T[] } | { expected: string }
type Table = Record<string, Plain>

/** A field: whether it has to be there, and what may stand in it. */
interface Field {
  isNeeded?: true
  expected: string
  fits: (value: Plain) => boolean
}

const TEXT: Field = { expected: 'a text', fits: (value) => isText(value) && value !== '' }
const TEXTS: Field = { expected: 'a list of texts', fits: isTexts }
const FLAG: Field = { expected: 'true or false', fits: (value) => typeof value === 'boolean' }
const OCTAL: Field = {
  expected: 'permissions such as "0644"',
  fits: (value) => isText(value) && /^0?[0-7]{3}$/.test(value),
}
const VARIABLES: Field = {
  expected: 'a table of names and texts',
  fits: (value) =>
    isTable(value) &&
    Object.entries(value).every(([name, text]) => /^[A-Za-z_]\w*$/.test(name) && isText(text)),
}
const DURATION: Field = {
  expected: 'a duration such as "30s" or a number of milliseconds',
  fits: (value) => durationOf(value) !== undefined,
}
/** A path below the top of a workspace. */
const PLACE: Field = {
  expected: 'a path such as work/settings.json, outside of skills/',
  fits: (value) => isText(value) && isPlace(value),
}
const PLACES: Field = {
  expected: 'a list of paths such as work/settings.json, outside of skills/',
  fits: (value) => isTexts(value) && value.every(isPlace),
}

const FILE_FIELDS: Readonly<Record<string, Field>> = {
  key: TEXT,
  target: { ...PLACE, isNeeded: true },
  content: { expected: 'a text', fits: isText },
  from: TEXT,
  mode: OCTAL,
  link: FLAG,
  pin: FLAG,
  optional: FLAG,
}

const COMMAND_FIELDS: Readonly<Record<string, Field>> = {
  key: TEXT,
  cmd: { ...TEXT, isNeeded: true },
  args: TEXTS,
  env: VARIABLES,
  cwd: TEXT,
  timeout: DURATION,
  marker_path: PLACE,
  observed_paths: PLACES,
  fingerprint_inputs: PLACES,
  fingerprint_salt: TEXT,
  optional: FLAG,
}

/** Reads `[[workspace.files]]`: what lies in every workspace before a command runs there. */
export function parsePreparedFiles(raw: Plain): ParsedList<PreparedFile> {
  return parseList(raw, FILE_FIELDS, (table) => {
    const { target, content, from, mode } = table as Record<string, string | undefined>
    if ((content === undefined) === (from === undefined)) return 'either "content" or "from"'
    const key = textOf(table, 'key') ?? `file:${target}`
    const bits = mode === undefined ? undefined : Number.parseInt(mode, 8)
    const isSet = (name: string) => table[name] === true
    const flags = { link: isSet('link'), pin: isSet('pin'), optional: isSet('optional') }
    return { key, target: target ?? '', content, from, mode: bits, ...flags }
  })
}

/** Reads `[[workspace.commands]]` and `[[workspace.init]]`. */
export function parsePreparedCommands(raw: Plain): ParsedList<PreparedCommand> {
  return parseList(raw, COMMAND_FIELDS, (table) => {
    const cmd = textOf(table, 'cmd') ?? ''
    const args = textsOf(table, 'args')
    return {
      key: textOf(table, 'key') ?? `command:${[cmd, ...args].join(' ')}`,
      cmd,
      args,
      env: (table['env'] ?? {}) as Record<string, string>,
      cwd: textOf(table, 'cwd'),
      timeoutMs: durationOf(table['timeout']),
      marker: textOf(table, 'marker_path'),
      observed: textsOf(table, 'observed_paths'),
      inputs: textsOf(table, 'fingerprint_inputs'),
      salt: textOf(table, 'fingerprint_salt'),
      optional: table['optional'] === true,
    }
  })
}

/** Every entry with its own key; what is wrong names its number. */
function parseList<T extends { key: string }>(
  raw: Plain,
  fields: Readonly<Record<string, Field>>,
  read: (table: Table) => T | string,
): ParsedList<T> {
  if (!Array.isArray(raw)) return { expected: 'a list of tables' }
  const value: T[] = []
  for (const [at, entry] of raw.entries()) {
    const problem = isTable(entry) ? wrongField(entry, fields) : 'a table'
    const parsed = problem ?? read(entry as Table)
    if (typeof parsed === 'string') return { expected: `in entry ${at + 1} ${parsed}` }
    if (value.some(({ key }) => key === parsed.key)) {
      return { expected: `in entry ${at + 1} another "key" than "${parsed.key}"` }
    }
    value.push(parsed)
  }
  return { value }
}

function wrongField(entry: Table, fields: Readonly<Record<string, Field>>): string | undefined {
  const names = Object.keys(fields)
  const stray = Object.keys(entry).find((name) => !names.includes(name))
  if (stray !== undefined) {
    const meant = nearest(stray, names)
    return `no "${stray}"${meant === undefined ? '' : `; did you mean "${meant}"?`}`
  }
  for (const [name, { isNeeded, expected, fits }] of Object.entries(fields)) {
    const value = entry[name]
    if (value === undefined && isNeeded) return `"${name}"`
    if (value !== undefined && !fits(value)) return `"${name}" to be ${expected}`
  }
  return undefined
}

function isPlace(path: string): boolean {
  const parts = path.split('/')
  const isPlain = parts.every((part) => !['', '.', '..'].includes(part))
  return isPlain && parts[0] !== 'skills' && !/[\\\0]/.test(path)
}

function durationOf(value: Plain | undefined): number | undefined {
  if (typeof value !== 'string' && typeof value !== 'number') return undefined
  const ms = parseDuration(String(value))
  return ms !== undefined && ms > 0 ? ms : undefined
}

function textOf(table: Table, name: string): string | undefined {
  return table[name] as string | undefined
}

function textsOf(table: Table, name: string): string[] {
  return (table[name] ?? []) as string[]
}

function isText(value: Plain): value is string {
  return typeof value === 'string'
}

function isTexts(value: Plain): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}

function isTable(value: Plain): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
