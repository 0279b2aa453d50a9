import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { lookup } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { SkillsError } from '../../errors.ts'
import { classifyAddress } from '../sandbox/egress/special-address.ts'
import { checkAddress } from './check-address.ts'

/** Upper bounds of one download. */
export interface DownloadLimits {
  bytes: number
  /** Milliseconds for the whole download, redirects included. */
  timeoutMs: number
}

const MAX_REDIRECTS = 5

/** Downloads a file; undefined if the server has none. */
export async function downloadFile(
  url: URL,
  limits: DownloadLimits,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  const timeout = AbortSignal.timeout(limits.timeoutMs)
  try {
    return await followRedirects(url, limits, AbortSignal.any([signal, timeout]))
  } catch (thrown) {
    signal.throwIfAborted()
    if (timeout.aborted) {
      throw downloadError(
        url,
        `it takes longer than ${limits.timeoutMs / 1000} s`,
        'remote/timeout',
      )
    }
    if (thrown instanceof SkillsError) throw thrown
    throw downloadError(url, (thrown as Error).message, 'remote/unreachable')
  }
}

async function followRedirects(
  first: URL,
  limits: DownloadLimits,
  signal: AbortSignal,
): Promise<Buffer | undefined> {
  let url = first
  for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
    // The user named the first server; a server may name no private one.
    const response = await openResponse(url, { signal, isPublic: url.origin !== first.origin })
    const { statusCode = 0, headers } = response
    if (statusCode === 200) return await readBody(first, response, limits.bytes)
    response.destroy()
    if (statusCode === 404 || statusCode === 410) return undefined
    const { location } = headers
    if (statusCode < 300 || statusCode > 399 || !location || !URL.canParse(location, url.href)) {
      throw downloadError(first, `the server answered with ${statusCode}`)
    }
    url = new URL(location, url)
    checkAddress(url, url.href)
  }
  throw downloadError(first, `it has more than ${MAX_REDIRECTS} redirects`)
}

async function openResponse(
  url: URL,
  { signal, isPublic }: { signal: AbortSignal; isPublic: boolean },
): Promise<IncomingMessage> {
  const host = url.hostname.replace(/^\[|\]$/g, '')
  if (isPublic && isIP(host) !== 0) refuseSpecial(url, host)
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return await new Promise((done, fail) => {
    const headers = { 'accept-encoding': 'identity', 'user-agent': 'skills' }
    const options = { signal, headers, ...(isPublic && { lookup: createPublicLookup(url) }) }
    request(url, options, done).on('error', fail).end()
  })
}

/** Checks the address to which the socket connects, so that no second answer of DNS counts. */
function createPublicLookup(url: URL): LookupFunction {
  return (host, options, done) => {
    lookup(host, { ...options, all: true }, (error, addresses) => {
      if (error) return done(error, [])
      try {
        for (const { address } of addresses) refuseSpecial(url, address)
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

function refuseSpecial(url: URL, address: string): void {
  const special = classifyAddress(address)
  if (special === undefined) return
  throw downloadError(url, `it is a redirect to ${address}, a ${special.replace('-', ' ')}`)
}

async function readBody(url: URL, response: IncomingMessage, max: number): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += (chunk as Buffer).length
    if (size > max) {
      response.destroy()
      throw downloadError(url, `it has more than ${max} bytes`)
    }
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

export function downloadError(
  url: URL,
  problem: string,
  code: 'remote/unexpected' | 'remote/timeout' | 'remote/unreachable' = 'remote/unexpected',
): SkillsError {
  return new SkillsError(code, `Cannot download "${url.href}": ${problem}`, {
    hint: 'Check the address, or download the archive yourself and install the file',
  })
}
