import { createRequire } from 'node:module'
import type { ConfigEdit } from './edit.ts'
import { isOwnServer, foreignServerError } from './own-server.ts'
import {
  isTomlTable,
  parsesTo,
  parseTomlConfig,
  tomlConfigError,
  type TomlTable,
} from './toml-config.ts'

const require = createRequire(import.meta.url)

/** Adds a server to TOML as a separate table. The rest of the text is preserved. */
export function editToml(text: string, edit: ConfigEdit): string {
  const { client, name, entry, file } = edit
  const before = parseTomlConfig(text, file)
  const servers = before[client.key] ?? {}
  if (!isTomlTable(servers)) throw tomlConfigError(file, `expected "${client.key}" to be a table`)
  const existing = Object.hasOwn(servers, name) ? servers[name] : undefined
  if (existing !== undefined && (!isTomlTable(existing) || !isOwnServer(existing)))
    throw foreignServerError(name, file)
  const after =
    existing === undefined ? appendTable(text, edit) : replaceValues(text, edit, existing)
  const updated = { ...existing, command: entry.command, args: [...entry.args] }
  const expected = { ...before, [client.key]: { ...servers, [name]: updated } }
  if (!parsesTo(after, expected)) {
    throw tomlConfigError(file, `"${client.key}" is not written as separate tables`)
  }
  return after
}

function appendTable(text: string, { client, name, entry }: ConfigEdit): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const gap = text === '' ? '' : text.endsWith('\n') ? eol : eol + eol
  const key = /^[\w-]+$/.test(name) ? name : JSON.stringify(name)
  const lines = [
    `[${client.key}.${key}]`,
    `command = ${JSON.stringify(entry.command)}`,
    `args = ${formatTomlList(entry.args)}`,
    '',
  ]
  return text + gap + lines.join(eol)
}

/** Replaces the values only; comments and other keys of the table are preserved. */
function replaceValues(
  text: string,
  { client, name, entry }: ConfigEdit,
  existing: TomlTable,
): string {
  const { parseTOML } = require('toml-eslint-parser') as typeof import('toml-eslint-parser')
  let after = text
  const newValues = [
    ['command', JSON.stringify(entry.command), entry.command],
    ['args', formatTomlList(entry.args), entry.args],
  ] as const
  for (const [key, written, value] of newValues) {
    if (JSON.stringify(existing[key]) === JSON.stringify(value)) continue
    const table = parseTOML(after).body[0].body.find(
      (each) =>
        each.type === 'TOMLTable' &&
        JSON.stringify(each.resolvedKey) === JSON.stringify([client.key, name]),
    )
    if (table?.type !== 'TOMLTable') return after
    const pair = table.body.find(
      ({ key: { keys } }) => keys.length === 1 && readKeyName(keys[0]) === key,
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

function readKeyName(key: { type: string; name?: string; value?: unknown } | undefined): unknown {
  return key?.type === 'TOMLBare' ? key.name : key?.value
}

function formatTomlList(values: readonly string[]): string {
  return `[${values.map((each) => JSON.stringify(each)).join(', ')}]`
}
