import type { IncomingMessage } from 'node:http'
import type { NetworkRefusal } from './decision.ts'
import { namesDestination, parseDestination, type NetworkDestination } from './destination.ts'
import { pairHeaders } from './masking/flat-headers.ts'

/** Target of a plain HTTP request to forward. */
export interface ForwardTarget {
  destination: NetworkDestination
  path: string
}

/** How a request arrived: at the proxy, or at a port that substitutes the destination's. */
export type RequestArrival =
  | { via: 'proxy' }
  | { via: 'direct'; port: number; name: string | undefined }

const HOP_BY_HOP = new Set([
  'connection',
  'expect',
  'host',
  'keep-alive',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Refuses requests that two parsers could read differently, and unusual ones. */
export function findRequestRefusal(request: IncomingMessage): NetworkRefusal | undefined {
  const { method = '', headersDistinct: headers } = request
  const isUnusual =
    method === 'TRACE' ||
    method === 'CONNECT' ||
    headers['upgrade'] !== undefined ||
    headers['http2-settings'] !== undefined ||
    countHeader(request, 'host') > 1 ||
    (countHeader(request, 'host') === 0 && request.httpVersion !== '1.0') ||
    hasAmbiguousLength(request)
  if (!isUnusual) return undefined
  const message = 'Only plain HTTP/1.1 requests pass: no upgrade, no TRACE, one Host, one length'
  return { reason: 'request-refused', message }
}

function hasAmbiguousLength(request: IncomingMessage): boolean {
  const lengths = countHeader(request, 'content-length')
  const codings = countHeader(request, 'transfer-encoding')
  if (codings === 0) return lengths > 1
  const coding = request.headers['transfer-encoding']?.toLowerCase()
  return codings > 1 || lengths > 0 || coding !== 'chunked' || request.httpVersion === '1.0'
}

function countHeader({ rawHeaders }: IncomingMessage, name: string): number {
  return rawHeaders.filter((each, at) => at % 2 === 0 && each.toLowerCase() === name).length
}

/** Parses the target of a request. The request line and the Host header must agree. */
export function parseForwardTarget(
  request: IncomingMessage,
  arrival: RequestArrival,
): ForwardTarget | NetworkRefusal {
  const { url = '' } = request
  const host = request.headersDistinct['host']?.[0]
  if (arrival.via === 'direct') return parseDirectTarget(url, host, arrival)
  const match = /^http:\/\/([^/?#]*)([^#]*)$/i.exec(url)
  if (!match) {
    const message = url.startsWith('https:')
      ? 'An https destination requires CONNECT'
      : 'The proxy expects an absolute http:// URL'
    return { reason: 'malformed', message }
  }
  const destination = parseDestination('http', match[1] ?? '')
  if ('reason' in destination) return destination
  if (host !== undefined && !isSameHostAndPort(parseDestination('http', host), destination))
    return createHostMismatch()
  const rest = match[2] ?? ''
  return { destination, path: rest.startsWith('/') ? rest : `/${rest}` }
}

export function parseConnectTarget(request: IncomingMessage): NetworkDestination | NetworkRefusal {
  const { url = '' } = request
  const destination = parseDestination('https', url)
  if ('reason' in destination) return destination
  if (!/:\d+$/.test(url)) {
    return { reason: 'malformed', message: 'CONNECT expects a host and a port' }
  }
  const hosts = request.headersDistinct['host'] ?? []
  const agree = hosts.every((host) => namesDestination(host, destination))
  return hosts.length <= 1 && agree ? destination : createHostMismatch()
}

/** Removes hop-by-hop headers. Returns names and values in one flat list. */
export function removeHopByHopHeaders(raw: readonly string[]): string[] {
  const pairs = pairHeaders(raw)
  const named = new Set(
    pairs
      .filter(([name]) => name.toLowerCase() === 'connection')
      .flatMap(([, value]) => value.toLowerCase().split(','))
      .map((name) => name.trim()),
  )
  named.delete('content-length')
  return pairs
    .filter(([written]) => {
      const name = written.toLowerCase()
      return !HOP_BY_HOP.has(name) && !named.has(name) && !name.startsWith('proxy-')
    })
    .flat()
}

function parseDirectTarget(
  url: string,
  host: string | undefined,
  { port, name }: Extract<RequestArrival, { via: 'direct' }>,
): ForwardTarget | NetworkRefusal {
  if (!url.startsWith('/')) {
    return {
      reason: 'malformed',
      message: 'This port is not a proxy: the request line must contain only a path',
    }
  }
  if (host === undefined) {
    return { reason: 'malformed', message: 'The request has no Host header' }
  }
  const parsed = parseDestination('http', host)
  if ('reason' in parsed) return parsed
  const destination = { ...parsed, host: name ?? parsed.host, port }
  return namesDestination(host, destination) ? { destination, path: url } : createHostMismatch()
}

function isSameHostAndPort(
  named: NetworkDestination | NetworkRefusal,
  { host, port }: NetworkDestination,
): boolean {
  return 'host' in named && named.host === host && named.port === port
}

function createHostMismatch(): NetworkRefusal {
  const message = 'The Host header and the request name different destinations'
  return { reason: 'name-mismatch', message }
}
