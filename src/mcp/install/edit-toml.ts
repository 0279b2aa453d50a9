import { SkillsError } from '../../errors.ts'
import { createRequire } from 'node:module'
import type { Edit } from './edit.ts'
import { isOurs, notOurs } from './is-ours.ts'

const require = createRequire(import.meta.url)

type Table = Readonly<Record<string, unknown>>

/** Puts a server into TOML as a table of its own; nothing else of the text is touched. */
export function editToml(text: string, edit: Edit): string {
  const { client, name, entry, file } = edit
  const before = read(text, file)
  const servers = before[client.key] ?? {}
  if (!isTable(servers)) throw broken(file, `expected "${client.key}" to be a table`)
  const known = Object.hasOwn(servers, name) ? servers[name] : undefined
  if (known !== undefined && (!isTable(known) || !isOurs(known))) throw notOurs(name, file)
  const after = known === undefined ? append(text, edit) : replaceValues(text, edit, known)
  const own = { ...known, command: entry.command, args: [...entry.args] }
  const expected = { ...before, [client.key]: { ...servers, [name]: own } }
  if (!readsAs(after, expected)) {
    throw broken(file, `"${client.key}" is not written as tables of their own`)
  }
  return after
}

/** A table that was written in one line cannot be added to from below. */
function readsAs(text: string, expected: Table): boolean {
  const { parse } = require('smol-toml') as typeof import('smol-toml')
  try {
    return JSON.stringify(sorted(parse(text))) === JSON.stringify(sorted(expected))
  } catch {
    return false
  }
}

function append(text: string, { client, name, entry }: Edit): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol
  const key = /^[\w-]+$/.test(name) ? name : JSON.stringify(name)
  const lines = [
    `[${client.key}.${key}]`,
    `command = ${JSON.stringify(entry.command)}`,
    `args = ${listOf(entry.args)}`,
    '',
  ]
  return text + gap + lines.join(eol)
}

/** Comments and other keys of the table stay where they are. */
function replaceValues(text: string, { client, name, entry }: Edit, known: Table): string {
  const { parseTOML } = require('toml-eslint-parser') as typeof import('toml-eslint-parser')
  let after = text
  const wanted = [
    ['command', JSON.stringify(entry.command), entry.command],
    ['args', listOf(entry.args), entry.args],
  ] as const
  for (const [key, written, value] of wanted) {
    if (JSON.stringify(known[key]) === JSON.stringify(value)) continue
    const table = parseTOML(after).body[0].body.find(
      (each) =>
        each.type === 'TOMLTable' &&
        JSON.stringify(each.resolvedKey) === JSON.stringify([client.key, name]),
    )
    if (table?.type !== 'TOMLTable') return after
    const pair = table.body.find(
      ({ key: { keys } }) => keys.length === 1 && nameOf(keys[0]) === key,
    )
    if (pair) {
      const [start, end] = pair.value.range
      after = after.slice(0, start) + written + after.slice(end)
    } else {
      const end = after.indexOf('\n', table.key.range[1])
      const at = end === -1 ? after.length : end + 1
      const line = `${end === -1 ? '\n' : ''}${key} = ${written}\n`
      after = after.slice(0, at) + line + after.slice(at)
    }
  }
  return after
}

function nameOf(key: { type: string; name?: string; value?: unknown } | undefined): unknown {
  return key?.type === 'TOMLBare' ? key.name : key?.value
}

function listOf(values: readonly string[]): string {
  return `[${values.map((each) => JSON.stringify(each)).join(', ')}]`
}

function read(text: string, file: string): Table {
  const { parse } = require('smol-toml') as typeof import('smol-toml')
  try {
    return parse(text)
  } catch (thrown) {
    const { line, message } = thrown as { line?: number; message: string }
    const reason = message.split('\n')[0]?.replace(/^Invalid TOML document: /, '')
    throw broken(file, `line ${line ?? '?'}: ${reason ?? 'invalid TOML'}`)
  }
}

function isTable(value: unknown): value is Table {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value === 'bigint') return String(value)
  if (!isTable(value) || value instanceof Date) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sorted(value[key])]))
}

function broken(file: string, why: string): SkillsError {
  return new SkillsError('config/invalid', `"${file}" is not changed: ${why}`, {
    hint: 'Mend the file first, or add --print to see what belongs into it',
  })
}
