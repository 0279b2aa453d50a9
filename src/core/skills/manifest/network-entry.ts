import { BlockList, isIP } from 'node:net'
import { isPublicSuffix } from './public-suffix.ts'

/** One allowed destination: a host; with a wildcard every name below it, but not the host. */
export interface NetworkEntry {
  scheme: 'http' | 'https'
  host: string
  wildcard: boolean
  port: number
}

interface NetworkEntryProblem {
  problem: string
  suggestion?: string
}

/** Maximum number of ports that one run may reach. */
export const MAX_PORTS = 64

const LABEL = /^(?!-)[a-z0-9_-]{1,63}(?<!-)$/

/** Parses an entry of permissions.network; anything ambiguous is a problem, never a guess. */
export function parseNetworkEntry(text: string): NetworkEntry | NetworkEntryProblem {
  if (/[\s\u0000-\u001F\u007F]/.test(text)) {
    return { problem: 'it has blanks or control characters' }
  }
  const match = /^([a-z][a-z0-9+.-]*):\/\/([^/?#]*)(.*)$/i.exec(text)
  if (!match) return describeMissingScheme(text)
  const [, written = '', authority = '', rest = ''] = match
  const scheme = written.toLowerCase()
  if (scheme !== 'http' && scheme !== 'https') {
    return { problem: `its scheme is "${scheme}", expected http or https` }
  }
  if (authority.includes('@')) return { problem: 'it has a user name' }
  if (rest !== '' && rest !== '/') {
    const problem = 'it has a path, but only hosts can be allowed'
    return { problem, suggestion: `${scheme}://${authority}` }
  }
  return parseAuthority(scheme, authority)
}

function describeMissingScheme(text: string): NetworkEntryProblem {
  const problem = 'it has no scheme'
  const isHost = /^[a-z0-9*.-]+$/i.test(text) && text.includes('.')
  return isHost ? { problem, suggestion: `https://${text.toLowerCase()}` } : { problem }
}

function parseAuthority(
  scheme: 'http' | 'https',
  authority: string,
): NetworkEntry | NetworkEntryProblem {
  const match = /^(\[[0-9a-f:.]+\]|[^:[\]]*)(?::(\d{1,5}))?$/i.exec(authority)
  if (!match) return { problem: 'its host or port cannot be read' }
  const port = match[2] === undefined ? DEFAULT_PORTS[scheme] : Number(match[2])
  if (port < 1 || port > 65_535) return { problem: `its port is ${port}, expected 1 to 65535` }
  const written = (match[1] ?? '').toLowerCase()
  const wildcard = written.startsWith('*.')
  const host = written.startsWith('[')
    ? written.slice(1, -1)
    : wildcard
      ? written.slice(2)
      : written
  const problem = written.startsWith('[') ? findIpv6Problem(host) : findHostProblem(host, wildcard)
  return problem === undefined ? { scheme, host, wildcard, port } : { problem }
}

const DEFAULT_PORTS = { http: 80, https: 443 } as const

function findIpv6Problem(host: string): string | undefined {
  return isIP(host) === 6 ? undefined : 'its host is not a valid IPv6 address'
}

function findHostProblem(host: string, wildcard: boolean): string | undefined {
  if (host === '' || host === '*') return 'it allows every host'
  if (host.includes('*')) {
    return 'a "*" is valid only as the first part, as in https://*.example.com'
  }
  if (/[^\u0000-\u007F]/.test(host)) {
    return 'its host has non-ASCII characters; use the xn-- form'
  }
  if (isNumeric(host)) {
    return wildcard || isIP(host) !== 4 ? 'its host is not a plain IPv4 address' : undefined
  }
  const isName = host.length <= 253 && host.split('.').every((label) => LABEL.test(label))
  return isName ? undefined : `its host "${host}" is not a valid host name`
}

/** Explains why a wildcard is too wide to be allowed; undefined for an entry with one owner. */
export function findSharedOwners({ host, wildcard }: NetworkEntry): string | undefined {
  if (!wildcard || !isPublicSuffix(host)) return undefined
  return `it allows every host below "${host}", which has many owners`
}

/** True for anything that a resolver could read as a number: 127.1, 0x7f.1, 2130706433. */
function isNumeric(host: string): boolean {
  return /^(?:0x[0-9a-f]*|\d+)$/i.test(host.split('.').at(-1) ?? '')
}

/** True if `wide` allows everything that `narrow` allows. */
export function coversEntry(wide: NetworkEntry, narrow: NetworkEntry): boolean {
  if (wide.scheme !== narrow.scheme || wide.port !== narrow.port) return false
  if (wide.host === narrow.host && wide.wildcard === narrow.wildcard) return true
  return wide.wildcard && narrow.host.endsWith(`.${wide.host}`)
}

/** True for names and addresses of private networks, judged by their text alone. */
export function isPrivateHost(host: string): boolean {
  if (/(?:^|\.)(?:localhost|local|internal|intranet|lan|home\.arpa)$/.test(host)) return true
  if (isIP(host) === 4) return PRIVATE_BLOCKS.check(host)
  return isIP(host) === 6 && /^(?:::1?$|::ffff:|f[cd]|fe[89ab])/i.test(host)
}

const PRIVATE_BLOCKS = new BlockList()
for (const [network, prefix] of [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.168.0.0', 16],
  ['224.0.0.0', 3],
] as const) {
  PRIVATE_BLOCKS.addSubnet(network, prefix)
}
