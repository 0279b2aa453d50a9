import type { Manifest, Plain, SecretUse } from './manifest.ts'
import { findSharedOwners, parseNetworkEntry, type NetworkEntry } from './network-entry.ts'
import { isPlainObject } from './plain-objects.ts'

/** The secrets of a manifest: names, and the uses of those that never enter the sandbox. */
interface SecretDeclarations {
  names: readonly string[]
  uses: Readonly<Record<string, SecretUse>>
  problems: readonly { path: readonly string[]; message: string }[]
}

/** A part of a request, parsed. */
export type SecretPlace =
  | { kind: 'header' | 'query' | 'hmac'; name: string }
  | { kind: 'path' | 'body' | 'sigv4' }

/** The usual place: a bearer token, or the password of Basic authentication. */
export const USUAL_PLACE = 'header:Authorization'

const PLACES = '"header:<name>", "query:<name>", "path", "body", "sigv4" or "hmac:<header>"'
const TOKEN = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/

/**
 * Reads permissions.secrets: a list of names, or a table by name. A value of the table is one host,
 * a list of hosts, or a table with `hosts` and `in`; without hosts the value enters the sandbox.
 */
export function readDeclaredSecrets(written: Plain | undefined): SecretDeclarations {
  if (!isPlainObject(written)) {
    const names = Array.isArray(written) ? written.filter((each) => typeof each === 'string') : []
    return { names, uses: {}, problems: [] }
  }
  const uses: Record<string, SecretUse> = {}
  const problems: { path: readonly string[]; message: string }[] = []
  for (const [name, value] of Object.entries(written)) {
    const read = readUse(value)
    if ('problem' in read) {
      const message = `The secret "${name}" ${read.problem}`
      problems.push({ path: ['permissions', 'secrets', name], message })
    } else if (read.hosts.length > 0) uses[name] = read
  }
  return { names: Object.keys(written), uses, problems }
}

/** The use of a secret; undefined if its value enters the sandbox. */
export function getSecretUse(
  { secretUses }: Pick<Manifest['permissions'], 'secretUses'>,
  name: string,
): SecretUse | undefined {
  return secretUses && Object.hasOwn(secretUses, name) ? secretUses[name] : undefined
}

/** A value of the table for a use, in its short form if it has one. */
export function toWrittenUse(use: SecretUse | undefined): Plain {
  if (!use) return {}
  const [host] = use.hosts
  const isUsual = use.in.length === 1 && use.in[0] === USUAL_PLACE
  if (host !== undefined && use.hosts.length === 1 && isUsual) return host
  return { hosts: [...use.hosts], ...(!isUsual && { in: [...use.in] }) }
}

/** Path of a secret in skill.toml, in the list or in the table. */
export function getSecretPath(
  { toml, permissions }: Pick<Manifest, 'toml' | 'permissions'>,
  index: number,
): (string | number)[] {
  const table = toml?.['permissions']
  const isTable = isPlainObject(table) && isPlainObject(table['secrets'])
  return ['permissions', 'secrets', isTable ? (permissions.secrets[index] ?? '') : index]
}

function readUse(value: Plain): SecretUse | { problem: string } {
  const table = isPlainObject(value) ? value : { hosts: value }
  const unknown = Object.keys(table).find((key) => key !== 'hosts' && key !== 'in')
  if (unknown !== undefined) return { problem: `has the key "${unknown}", expected hosts and in` }
  const hosts = toTextList(table['hosts'] ?? [])
  if (!hosts) return { problem: 'has no valid hosts, expected a list such as ["https://api.example.com"]' }
  const places = toTextList(table['in'] ?? [USUAL_PLACE])
  if (!places || places.length === 0) return { problem: `has no valid "in", expected a list of ${PLACES}` }
  if (hosts.length === 0 && table['in'] !== undefined) {
    return { problem: 'has "in" without hosts, expected hosts such as ["https://api.example.com"]' }
  }
  const place = places.find((each) => !parseSecretPlace(each))
  if (place !== undefined) return { problem: `is put into "${place}", expected ${PLACES}` }
  const problem = hosts.map(findHostProblem).find((each) => each !== undefined)
  return problem === undefined ? { hosts, in: places } : { problem }
}

/** Only TLS shows whose server it is, so that other schemes are refused. */
function findHostProblem(host: string): string | undefined {
  // Authors write values here as well, which no report may show.
  if (!host.includes('://')) return 'has a host without https://'
  const entry = parseNetworkEntry(host)
  const problem = 'problem' in entry ? entry.problem : findUseProblem(entry)
  return problem === undefined ? undefined : `has the host "${host}", but ${problem}`
}

function findUseProblem(entry: NetworkEntry): string | undefined {
  if (entry.scheme !== 'https') return 'the value of a secret is put into https requests only'
  return findSharedOwners(entry)
}

function toTextList(value: Plain | undefined): string[] | undefined {
  if (typeof value === 'string') return [value]
  if (!Array.isArray(value)) return undefined
  const texts = value.filter((each): each is string => typeof each === 'string')
  return texts.length === value.length ? texts : undefined
}

/** Parses an entry of `in`; undefined if it is not valid. */
export function parseSecretPlace(text: string): SecretPlace | undefined {
  if (text === 'path' || text === 'body' || text === 'sigv4') return { kind: text }
  const [, kind, name = ''] = /^(header|query|hmac):(.+)$/s.exec(text) ?? []
  if (kind === 'query') return name.length <= 200 ? { kind, name } : undefined
  if ((kind === 'header' || kind === 'hmac') && TOKEN.test(name)) {
    return FRAMING_HEADERS.has(name.toLowerCase()) ? undefined : { kind, name: name.toLowerCase() }
  }
  return undefined
}

/** Headers by which requests are delimited and directed. */
const FRAMING_HEADERS = new Set([
  'host',
  'content-length',
  'transfer-encoding',
  'connection',
  'upgrade',
])
