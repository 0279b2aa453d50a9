import { createHash } from 'node:crypto'
import { toSortedJson } from './sorted-json.ts'
import type { Manifest, Plain, SecretUse } from './manifest.ts'
import { parseNetworkEntry } from './network-entry.ts'
import { PERMISSION_KEYS } from './fields.ts'
import { splitAllowedTools } from './allowed-tools.ts'
import { getSecretUse, parseSecretPlace } from './secret-use.ts'

/** Kinds of rights, which a consent lists. */
export type CapabilityKind = 'code' | 'host' | 'secret' | 'dependencies' | 'permission' | 'tool'

/** One right of a skill in its normal form: equal rights have equal texts. */
export interface Capability {
  kind: CapabilityKind
  value: string
}

/**
 * Everything that a skill may do by its manifest, sorted, without duplicates. Order, case and
 * spelling of the manifest do not change the list, so that a consent can be bound to its digest.
 */
export function listCapabilities(
  manifest: Pick<Manifest, 'kind' | 'runtime' | 'permissions' | 'dependencies' | 'toml' | 'frontMatter'>,
): Capability[] {
  const { runtime, permissions, dependencies, toml, frontMatter } = manifest
  const lines = new Map<string, Capability>()
  const add = (kind: CapabilityKind, value: string) =>
    void lines.set(`${kind} ${value}`, { kind, value })
  if (runtime) add('code', runtime.language)
  for (const entry of permissions.network) add('host', normalizeNetworkEntry(entry))
  for (const name of permissions.secrets) add('secret', formatSecretRight(name, getSecretUse(permissions, name)))
  for (const [language, file] of Object.entries(dependencies ?? {})) {
    add('dependencies', `${language} ${file}`)
  }
  for (const [name, value] of listOtherPermissions(toml)) add('permission', `${name}=${toSortedJson(value)}`)
  const tools = splitAllowedTools(frontMatter['allowed-tools'])
  // An Agent Skill without a list is limited by its host only, which is no right of the skill.
  for (const tool of tools ?? []) add('tool', tool)
  return [...lines.keys()].sort().map((key) => lines.get(key) as Capability)
}

/**
 * The name of a secret, with its hosts and places if the value stays outside of the sandbox. A name
 * that is not a plain word is quoted, because it could look like such a text.
 */
function formatSecretRight(name: string, use: SecretUse | undefined): string {
  const plain = /^\w+$/.test(name) ? name : JSON.stringify(name)
  if (!use) return plain
  const list = (texts: readonly string[]) => [...new Set(texts)].sort().join(', ')
  return `${plain} only to ${list(use.hosts.map(normalizeNetworkEntry))} in ${list(use.in.map(normalizePlace))}`
}

/** The same text for all spellings of a part of a request. */
export function normalizePlace(text: string): string {
  const place = parseSecretPlace(text)
  if (!place) return JSON.stringify(text)
  return 'name' in place ? `${place.kind}:${encodeURIComponent(place.name)}` : place.kind
}

/** SHA-256 of the list, one `kind value` per line, in hex. */
export function digestCapabilities(capabilities: readonly Capability[]): string {
  // JSON, because a value may have a line break.
  const lines = capabilities.map(({ kind, value }) => `${JSON.stringify([kind, value])}\n`)
  return createHash('sha256').update(lines.join('')).digest('hex')
}

/** The same text for all spellings of a destination: lower case, with its port. */
export function normalizeNetworkEntry(written: string): string {
  const entry = parseNetworkEntry(written)
  if ('problem' in entry) return written.trim()
  const host = entry.host.includes(':') ? `[${entry.host}]` : entry.host
  return `${entry.scheme}://${entry.wildcard ? '*.' : ''}${host}:${entry.port}`
}

/** Permissions that this version does not know, such as those of a newer one. */
export function listOtherPermissions(toml: Manifest['toml']): [name: string, value: Plain][] {
  const table = toml?.['permissions']
  if (typeof table !== 'object' || table === null || Array.isArray(table)) return []
  const known: readonly string[] = PERMISSION_KEYS
  return Object.entries(table).filter(([name]) => !known.includes(name))
}
