import {
  coversEntry,
  parseNetworkEntry,
  type NetworkEntry,
} from '../../skills/manifest/network-entry.ts'
import type { NetworkRefusal } from './decision.ts'

/** One host and port, in the one form in which the list, the resolver and the logs know it. */
export type NetworkDestination = Pick<NetworkEntry, 'scheme' | 'host' | 'port'>

/** Reads "host:port" or "host" as strictly as an entry of the list; nothing is corrected but case. */
export function parseDestination(
  scheme: NetworkDestination['scheme'],
  authority: string,
): NetworkDestination | NetworkRefusal {
  const parsed = /[/?#\\%]/.test(authority)
    ? { problem: 'it has characters that no host has' }
    : parseNetworkEntry(`${scheme}://${authority}`)
  if ('problem' in parsed) {
    return { reason: 'malformed', message: `The destination cannot be read: ${parsed.problem}` }
  }
  if (parsed.wildcard) {
    return { reason: 'malformed', message: 'The destination cannot be read: it has a "*"' }
  }
  return { scheme, host: canonicalizeHost(parsed.host), port: parsed.port }
}

/** Why the list does not allow a destination; nothing where it does. */
export function findListRefusal(
  list: readonly NetworkEntry[],
  { scheme, host, port }: NetworkDestination,
): NetworkRefusal | undefined {
  const asked = { scheme, host, port, wildcard: false }
  const entries = list.map((entry) => ({ ...entry, host: canonicalizeHost(entry.host) }))
  if (entries.some((entry) => coversEntry(entry, asked))) return undefined
  const sameHost = entries.filter((entry) => coversEntry({ ...entry, scheme, port }, asked))
  const where = `${scheme}://${bracketHost(host)}:${port}`
  if (sameHost.some((entry) => entry.scheme === scheme)) {
    return {
      reason: 'port-not-listed',
      message: `${where} is not in permissions.network: its port`,
    }
  }
  if (sameHost.length > 0) {
    const message = `${where} is not in permissions.network: its scheme`
    return { reason: 'scheme-not-listed', message }
  }
  return { reason: 'host-not-listed', message: `${where} is not in permissions.network` }
}

/** An IPv6 address as it stands before a port. */
export function bracketHost(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** An IPv6 address can be written in many ways. */
function canonicalizeHost(host: string): string {
  return host.includes(':') ? new URL(`http://[${host}]`).hostname.slice(1, -1) : host
}
