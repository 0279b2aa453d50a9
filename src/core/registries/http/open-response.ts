import { lookup } from 'node:dns'
import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { isIP, type LookupFunction } from 'node:net'

export interface HttpRequest {
  url: URL
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: Uint8Array | undefined
  signal: AbortSignal
  /** Throws for an IP address to which the request must not connect. */
  checkIp?: ((address: string) => void) | undefined
}

/** Sends one request. Redirects are not followed, and the body is not read yet. */
export async function openResponse(outgoing: HttpRequest): Promise<IncomingMessage> {
  const { url, method = 'GET', body, signal, checkIp } = outgoing
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isIP(host) !== 0) checkIp?.(host)
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  const headers = {
    'accept-encoding': 'identity',
    'user-agent': 'skills',
    ...outgoing.headers,
    ...(body && { 'content-length': body.length }),
  }
  // A pooled socket was not checked: no lookup precedes its use.
  const checked = checkIp && { agent: false, lookup: createLookup(checkIp) }
  const options = { method, signal, headers, ...checked }
  return await new Promise((done, fail) => {
    request(url, options, done).on('error', fail).end(body)
  })
}

/** The address to which a response redirects; undefined if it is not a redirect. */
export function findRedirect(
  { statusCode = 0, headers }: IncomingMessage,
  url: URL,
): URL | undefined {
  const { location } = headers
  if (statusCode < 300 || statusCode > 399 || location === undefined) return undefined
  return URL.canParse(location, url.href) ? new URL(location, url) : undefined
}

/** Checks the addresses to which the socket connects, so that no second answer of DNS counts. */
function createLookup(checkIp: (address: string) => void): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, [])
      try {
        for (const { address } of addresses) checkIp(address)
      } catch (thrown) {
        return done(thrown as Error, [])
      }
      const [first] = addresses
      return options.all === true
        ? done(null, addresses)
        : done(null, first?.address ?? '', first?.family)
    })
  }
}
