import { createRequire } from 'node:module'
import type { Node, ParseError } from 'jsonc-parser'
import { SkillsError } from '../../errors.ts'
import type { ConfigEdit } from './edit.ts'
import { isOwnServer, foreignServerError } from './own-server.ts'
import { addMember, replaceValue, detectStyle } from './json-text.ts'

const require = createRequire(import.meta.url)

type JsonObject = Readonly<Record<string, unknown>>

/** Adds a server to JSON, with or without comments. The rest of the text is preserved. */
export function editJson(text: string, edit: ConfigEdit): string {
  const bare = text.replace(/^\uFEFF/, '')
  const byteOrderMark = text.slice(0, text.length - bare.length)
  if (bare.trim() === '') return `${byteOrderMark}${applyEdit('{}', edit)}\n`
  return byteOrderMark + applyEdit(bare, edit)
}

function applyEdit(text: string, { client, name, entry, file }: ConfigEdit): string {
  const before = parseJsonConfig(text, file)
  const servers = readObjectAt(before, client.key, { file, path: client.key })
  const isKnown = Object.hasOwn(servers, name)
  const existing = readObjectAt(servers, name, { file, path: `${client.key}.${name}` })
  if (isKnown && !isOwnServer(existing)) throw foreignServerError(name, file)
  const serverEntry: JsonObject = { ...(client.isTyped && { type: 'stdio' }), ...entry }
  const after = isKnown
    ? updateServer(text, [client.key, name], serverEntry)
    : addServer(text, [client.key, name], serverEntry)
  const expected = {
    ...before,
    [client.key]: { ...servers, [name]: { ...existing, ...serverEntry } },
  }
  // For example a duplicate key: some parsers use the first value, some the last.
  if (!isSameJson(parseJsonConfig(after, file), expected))
    throw jsonConfigError(file, 'it contains a key twice')
  return after
}

/** Adds a member to the innermost existing object. */
function addServer(text: string, [key, name]: [string, string], value: JsonObject): string {
  const servers = findNode(text, [key])
  if (servers) return addMember(text, servers, { key: name, value, style: detectStyle(text) })
  const root = findNode(text, [])
  if (!root) return text
  return addMember(text, root, { key, value: { [name]: value }, style: detectStyle(text) })
}

/** Updates the values that differ. Other members of the entry, such as variables, are preserved. */
function updateServer(text: string, path: [string, string], serverEntry: JsonObject): string {
  let after = text
  for (const [key, value] of Object.entries(serverEntry)) {
    const style = detectStyle(after)
    const node = findNode(after, [...path, key])
    const entry = findNode(after, path)
    if (node) after = replaceValue(after, node, { value, style })
    else if (entry) after = addMember(after, entry, { key, value, style })
  }
  return after
}

/** Matches clients that accept comments in JSON. */
const LENIENT = { allowTrailingComma: true, disallowComments: false }

function findNode(text: string, path: string[]): Node | undefined {
  const { parseTree, findNodeAtLocation } = loadJsoncParser()
  const root = parseTree(text, [], LENIENT)
  return root && findNodeAtLocation(root, path)
}

function parseJsonConfig(text: string, file: string): JsonObject {
  const { parse, printParseErrorCode } = loadJsoncParser()
  const errors: ParseError[] = []
  const value: unknown = parse(text, errors, LENIENT)
  const [error] = errors
  if (error) {
    const line = text.slice(0, error.offset).split('\n').length
    const problem = printParseErrorCode(error.error).replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    throw jsonConfigError(file, `line ${line}: ${problem.toLowerCase()}`)
  }
  if (!isJsonObject(value)) throw jsonConfigError(file, 'expected an object')
  return value
}

function loadJsoncParser(): typeof import('jsonc-parser') {
  return require('jsonc-parser') as typeof import('jsonc-parser')
}

function readObjectAt(
  table: JsonObject,
  key: string,
  { file, path }: { file: string; path: string },
): JsonObject {
  const value = Object.hasOwn(table, key) ? table[key] : {}
  if (isJsonObject(value)) return value
  throw jsonConfigError(file, `expected "${path}" to be an object`)
}

function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isSameJson(a: unknown, b: unknown): boolean {
  return JSON.stringify(sortJsonKeys(a)) === JSON.stringify(sortJsonKeys(b))
}

function sortJsonKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sortJsonKeys)
  if (!isJsonObject(value)) return value
  const keys = Object.keys(value).sort()
  return Object.fromEntries(keys.map((key) => [key, sortJsonKeys(value[key])]))
}

function jsonConfigError(file: string, reason: string): SkillsError {
  return new SkillsError('config/invalid', `"${file}" is not changed: ${reason}`, {
    hint: 'Fix the file first, or add --print to see the entry to add',
  })
}
