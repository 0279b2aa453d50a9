import type { IncomingMessage } from 'node:http'

/** Headers for which this server would use the first value and another one the last. */
const SINGLE_HEADERS = new Set(['host', 'authorization'])
const SINGLE_HEADER_LENGTHS = new Set([...SINGLE_HEADERS].map((each) => each.length))

/**
 * Explains why the target or the sender of a request is ambiguous; undefined for almost all
 * requests.
 */
export function findAmbiguity(incoming: IncomingMessage): string | undefined {
  return findRepeatedHeader(incoming.rawHeaders) ?? findHostMismatch(incoming)
}

function findRepeatedHeader(rawHeaders: readonly string[]): string | undefined {
  let seen: Set<string> | undefined
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const raw = rawHeaders[at] as string
    const name = SINGLE_HEADER_LENGTHS.has(raw.length) ? raw.toLowerCase() : ''
    if (!SINGLE_HEADERS.has(name)) continue
    if (seen?.has(name)) return `expected one header "${name}", got several`
    seen = (seen ?? new Set()).add(name)
  }
  return undefined
}

function findHostMismatch({ url = '', headers }: IncomingMessage): string | undefined {
  if (url.startsWith('/') || !URL.canParse(url)) return undefined
  const host = `http://${headers.host ?? ''}`
  const isSame = URL.canParse(host) && new URL(host).host === new URL(url).host
  return isSame ? undefined : 'the URL and the header "host" name different hosts'
}
