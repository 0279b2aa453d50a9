import type { IncomingMessage } from 'node:http'
import { isLoopbackHost } from '../../util/loopback-host.ts'
import { parseHostName } from './host-check.ts'

/** The facts of a request that show where it comes from. */
export interface RequestSource {
  headers: Readonly<Record<string, string | string[] | undefined>>
  /** Address of the socket; undefined if the app is called without one. */
  address: string | undefined
  httpVersion: string | undefined
}

export function readRequestSource({
  headers,
  socket,
  httpVersion,
}: Pick<IncomingMessage, 'headers' | 'socket' | 'httpVersion'>): RequestSource {
  return { headers, address: socket.remoteAddress, httpVersion }
}

/** Headers that proxies add. */
const PROXY_HEADER = /^(?:forwarded|via|x-forwarded(?:-.*)?|x-real-ip)$/

/**
 * True if a program of this machine sent the request, as far as that can be known. A proxy on this
 * machine has a loopback address too. It shows by the name for which it was asked, by the headers of
 * proxies, or by HTTP/1.0, which proxies that add no header speak.
 */
export function isFromThisMachine({ headers, address, httpVersion }: RequestSource): boolean {
  if (address === undefined || !isLoopbackHost(normalizeAddress(address))) return false
  const { host } = headers
  const name = typeof host === 'string' ? parseHostName(host) : undefined
  if (name === undefined || !isLoopbackHost(name) || httpVersion === '1.0') return false
  for (const header in headers) if (PROXY_HEADER.test(header)) return false
  return true
}

/** IPv4 as such; of IPv6 the network of one site, in which a caller can have many addresses. */
export function normalizeAddress(address: string): string {
  const ipv4 = address.replace(/^::ffff:(?=\d+\.)/i, '')
  if (!ipv4.includes(':') || ipv4 === '::1') return ipv4
  const [head = '', tail] = ipv4.split('::')
  const groups = head.split(':')
  const count = tail === undefined ? 8 : 8 - tail.split(':').length
  while (groups.length < count) groups.push('0')
  return groups.slice(0, 4).join(':')
}
