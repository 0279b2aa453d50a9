import { parseNetworkEntry, type NetworkEntry } from '../../skills/manifest/network-entry.ts'

/** The entry of permissions.network that allows an origin; a WebSocket is an HTTP request. */
export function toNetworkEntry(origin: string | undefined): string | undefined {
  const address = origin?.replace(/^ws(s?):/i, 'http$1:').replace(/\/\/[^@/]*@/, '//')
  return address !== undefined && !('problem' in parseNetworkEntry(address)) ? address : undefined
}

/** The origin as an entry; undefined if it is not a plain host. */
export function parseOrigin(origin: string): NetworkEntry | undefined {
  const entry = toNetworkEntry(origin)
  const parsed = entry === undefined ? undefined : parseNetworkEntry(entry)
  return parsed === undefined || 'problem' in parsed ? undefined : parsed
}

/** True for the machine that the code itself runs on, such as a server that it started. */
export function isOwnMachine(origin: string | undefined): boolean {
  const host = origin === undefined ? undefined : parseOrigin(origin)?.host
  return host !== undefined && /^(?:localhost|127\.[\d.]+|::1|0\.0\.0\.0)$/.test(host)
}
