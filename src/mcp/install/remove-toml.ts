import { createRequire } from 'node:module'
import type { ServerRemoval } from './edit.ts'
import { foreignServerError, isOwnServer } from './own-server.ts'
import { isTomlTable, parsesTo, parseTomlConfig, tomlConfigError } from './toml-config.ts'

const require = createRequire(import.meta.url)

/** Removes the tables of a server from TOML. The rest of the text is preserved. */
export function removeFromToml(text: string, { client, name, file }: ServerRemoval): string {
  const before = parseTomlConfig(text, file)
  const servers = before[client.key] ?? {}
  if (!isTomlTable(servers)) throw tomlConfigError(file, `expected "${client.key}" to be a table`)
  if (!Object.hasOwn(servers, name)) return text
  const existing = servers[name]
  if (!isTomlTable(existing) || !isOwnServer(existing)) throw foreignServerError(name, file)
  const after = removeTables(text, [client.key, name])
  const { [name]: _, ...others } = servers
  const rest = { ...before, [client.key]: others }
  // Without any server, the table of servers itself may be gone.
  const { [client.key]: __, ...bare } = before
  const isExpected =
    parsesTo(after, rest) || (Object.keys(others).length === 0 && parsesTo(after, bare))
  if (isExpected) return after
  throw tomlConfigError(file, `"${client.key}" is not written as separate tables`)
}

/** Removes every table whose key begins with `path`, from last to first. */
function removeTables(text: string, path: readonly string[]): string {
  const { parseTOML } = require('toml-eslint-parser') as typeof import('toml-eslint-parser')
  const ranges = parseTOML(text).body[0].body.flatMap((each) => {
    const isOwn =
      each.type === 'TOMLTable' && path.every((part, at) => each.resolvedKey[at] === part)
    return isOwn ? [each.range] : []
  })
  return ranges.toReversed().reduce((rest, [start, end]) => {
    const tail = /^[^\n]*(?:\n|$)/.exec(rest.slice(end))?.[0].length ?? 0
    const after = rest.slice(end + tail)
    const head = rest.slice(0, start)
    // One of the blank lines around the table is removed too.
    return after.trim() === ''
      ? `${head.trimEnd()}${head.trim() === '' ? '' : '\n'}${after}`
      : head + after.replace(/^\r?\n/, '')
  }, text)
}
