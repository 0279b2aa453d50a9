import { createRequire } from 'node:module'
import type { ServerRemoval } from './edit.ts'
import {
  findNode,
  isSameJson,
  jsonConfigError,
  parseJsonConfig,
  readObjectAt,
} from './json-config.ts'
import { foreignServerError, isOwnServer } from './own-server.ts'

const require = createRequire(import.meta.url)

/** Removes a server from JSON, with or without comments. The rest of the text is preserved. */
export function removeFromJson(text: string, { client, name, file }: ServerRemoval): string {
  const bare = text.replace(/^\uFEFF/, '')
  if (bare.trim() === '') return text
  const before = parseJsonConfig(bare, file)
  const servers = readObjectAt(before, client.key, { file, path: client.key })
  if (!Object.hasOwn(servers, name)) return text
  const existing = readObjectAt(servers, name, { file, path: `${client.key}.${name}` })
  if (!isOwnServer(existing)) throw foreignServerError(name, file)
  const after = removeMember(bare, [client.key, name])
  const { [name]: _, ...others } = servers
  if (!isSameJson(parseJsonConfig(after, file), { ...before, [client.key]: others })) {
    throw jsonConfigError(file, 'it contains a key twice')
  }
  return text.slice(0, text.length - bare.length) + after
}

/** Removes a member with its line and one comma. */
function removeMember(text: string, path: string[]): string {
  const property = findNode(text, path)?.parent
  const siblings = property?.parent?.children ?? []
  if (!property) return text
  const at = siblings.indexOf(property)
  const end = property.offset + property.length
  const comma = findComma(text, end)
  const previous = siblings[at - 1]
  if (comma !== undefined) return cutLine(text, property.offset, comma + 1)
  // The last member takes the comma before it along.
  const without = cutLine(text, property.offset, end)
  const before = previous && findComma(text, previous.offset + previous.length)
  if (before === undefined) return without
  return without.slice(0, before) + without.slice(before + 1)
}

function findComma(text: string, from: number): number | undefined {
  const { createScanner } = require('jsonc-parser') as typeof import('jsonc-parser')
  const scanner = createScanner(text, true)
  scanner.setPosition(from)
  scanner.scan()
  const at = scanner.getTokenOffset()
  return text[at] === ',' ? at : undefined
}

/** Removes a range, and its line if nothing else is on it. */
function cutLine(text: string, start: number, end: number): string {
  const lead = /\r?\n?[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0
  const isAlone = /^[ \t]*(?:\r?\n|[}]|$)/.test(text.slice(end))
  return text.slice(0, isAlone ? start - lead : start) + text.slice(end)
}
