import {
  coversEntry,
  parseNetworkEntry,
  type NetworkEntry,
} from '../../skills/manifest/network-entry.ts'
import type { NetworkRefusal } from './decision.ts'

/** A host and port in canonical form, shared by the list, the resolver and the logs. */
export type NetworkDestination = Pick<NetworkEntry, 'scheme' | 'host' | 'port'>

/** Parses "host:port" or "host" as strictly as a list entry; only the case is normalized. */
export function parseDestination(
  scheme: NetworkDestination['scheme'],
  authority: string,
): NetworkDestination | NetworkRefusal {
  const parsed = /[/?#\\%]/.test(authority)
    ? { problem: 'it contains characters that no host has' }
    : parseNetworkEntry(`${scheme}://${authority}`)
  if ('problem' in parsed) {
    return { reason: 'malformed', message: `The destination cannot be parsed: ${parsed.problem}` }
  }
  if (parsed.wildcard) {
    return { reason: 'malformed', message: 'The destination cannot be parsed: it contains a "*"' }
  }
  return { scheme, host: canonicalizeHost(parsed.host), port: parsed.port }
}

/** True if a Host header or an `:authority` names a destination; its port may be left out. */
export function namesDestination(
  written: string,
  { scheme, host, port }: NetworkDestination,
): boolean {
  const named = parseDestination(scheme, written)
  return 'host' in named && named.host === host && (named.port === port || !/:\d+$/.test(written))
}

/** Explains why the list does not allow a destination; undefined if it does. */
export function findListRefusal(
  list: readonly NetworkEntry[],
  { scheme, host, port }: NetworkDestination,
  listName = 'permissions.network',
): NetworkRefusal | undefined {
  const requested = { scheme, host, port, wildcard: false }
  const entries = list.map((entry) => ({ ...entry, host: canonicalizeHost(entry.host) }))
  if (entries.some((entry) => coversEntry(entry, requested))) return undefined
  const sameHost = entries.filter((entry) => coversEntry({ ...entry, scheme, port }, requested))
  const url = `${scheme}://${bracketHost(host)}:${port}`
  if (sameHost.some((entry) => entry.scheme === scheme)) {
    return {
      reason: 'port-not-listed',
      message: `${url} is not in ${listName}: its port`,
    }
  }
  if (sameHost.length > 0) {
    const message = `${url} is not in ${listName}: its scheme`
    return { reason: 'scheme-not-listed', message }
  }
  return { reason: 'host-not-listed', message: `${url} is not in ${listName}` }
}

/** Brackets an IPv6 address for use before a port. */
export function bracketHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** Normalizes an IPv6 address, which has many spellings. */
export function canonicalizeHost(host: string): string {
  return host.includes(':') ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host
}
