import type { ConfigEdit } from './edit.ts'
import {
  findNode,
  isSameJson,
  jsonConfigError,
  parseJsonConfig,
  readObjectAt,
  type JsonObject,
} from './json-config.ts'
import { isOwnServer, foreignServerError } from './own-server.ts'
import { addMember, replaceValue, detectStyle } from './json-text.ts'

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
