import { request as requestHttp, type IncomingMessage } from 'node:http'
import { request as requestHttps } from 'node:https'
import { SkillsError } from '../../../../errors.ts'

/** One request to a registry of packages. */
export interface PackageQuery {
  url: URL
  /** Sent to the origin of the URL only. */
  headers?: Readonly<Record<string, string>>
  /** JSON of a POST request; a GET request without it. */
  body?: string | undefined
  maxBytes: number
  signal?: AbortSignal | undefined
}

const TIMEOUT_MS = 60_000
const MAX_REDIRECTS = 3
const LOOPBACK = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])$/

/** True for https, and for http to this machine. */
export function isSafeAddress({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && LOOPBACK.test(hostname))
}

/** Returns the body of the answer; undefined if the registry does not have it. */
export async function requestRegistry(request: PackageQuery): Promise<Buffer | undefined> {
  const timeout = AbortSignal.timeout(TIMEOUT_MS)
  const signal = request.signal ? AbortSignal.any([request.signal, timeout]) : timeout
  try {
    return await followRedirects({ ...request, signal })
  } catch (thrown) {
    if (request.signal?.aborted) {
      throw new SkillsError('run/cancelled', 'The request to the registry was cancelled')
    }
    if (timeout.aborted) {
      throw registryError(request.url, `it takes longer than ${TIMEOUT_MS / 1000} s`, 'remote/timeout')
    }
    if (thrown instanceof SkillsError) throw thrown
    throw registryError(request.url, (thrown as Error).message, 'remote/unreachable')
  }
}

async function followRedirects(request: PackageQuery): Promise<Buffer | undefined> {
  let { url } = request
  for (let count = 0; count <= MAX_REDIRECTS; count += 1) {
    if (!isSafeAddress(url)) throw registryError(url, 'expected https, or http on this machine')
    const response = await openResponse({ ...request, url })
    const { statusCode = 0, headers } = response
    if (statusCode === 200) return await readPackageBody(request, response)
    response.destroy()
    if (statusCode === 404 || statusCode === 410) return undefined
    const { location = '' } = headers
    if (statusCode < 300 || statusCode > 399 || !URL.canParse(location, url.href)) {
      throw registryError(request.url, `the registry answered with ${statusCode}`)
    }
    const next = new URL(location, url)
    if (next.origin !== url.origin) {
      throw registryError(request.url, `the registry redirects to another one, ${next.origin}`)
    }
    url = next
  }
  throw registryError(request.url, `it has more than ${MAX_REDIRECTS} redirects`)
}

async function openResponse({
  url,
  headers,
  body,
  signal,
}: PackageQuery): Promise<IncomingMessage> {
  const start = url.protocol === 'https:' ? requestHttps : requestHttp
  const all = {
    'accept-encoding': 'identity',
    'user-agent': 'skills',
    ...(body !== undefined && {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
    }),
    ...headers,
  }
  return await new Promise((done, fail) => {
    const method = body === undefined ? 'GET' : 'POST'
    start(url, { signal, method, headers: all }, done).on('error', fail).end(body)
  })
}

async function readPackageBody(
  { url, maxBytes }: PackageQuery,
  response: IncomingMessage,
): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of response) {
    size += (chunk as Buffer).length
    if (size > maxBytes) {
      response.destroy()
      throw registryError(url, `it has more than ${maxBytes} bytes`)
    }
    chunks.push(chunk as Buffer)
  }
  return Buffer.concat(chunks)
}

export function registryError(
  url: URL,
  problem: string,
  code: 'remote/unexpected' | 'remote/timeout' | 'remote/unreachable' = 'remote/unexpected',
): SkillsError {
  const shown = `${url.origin}${url.pathname}`
  return new SkillsError(code, `Cannot get "${shown}" from the registry: ${problem}`, {
    hint: 'Check the connection, and the registry in your .npmrc or in npm_config_registry',
  })
}
