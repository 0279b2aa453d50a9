import type { Deadline } from './deadline.ts'
import { ConnectionError } from './errors.ts'
import type { ClientSettings } from './options.ts'

export interface OutgoingRequest {
  url: URL
  verb: 'GET' | 'HEAD' | 'POST' | 'PUT'
  headers: Readonly<Record<string, string>>
  body?: RequestInit['body']
  deadline: Deadline
}

/** Nothing was sent, and the cause is temporary. */
const TRANSIENT_CODES = new Set([
  'ECONNREFUSED',
  'EAI_AGAIN',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'UND_ERR_CONNECT_TIMEOUT',
])
/** Nothing was sent, and the cause is permanent. */
const PERMANENT_CODES = /^(?:ENOTFOUND|ERR_TLS_|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|ERR_SSL_)/

/**
 * Without these options, `fetch` of Node.js retains all that was sent of a body, for a redirect
 * that it may have to follow.
 */
const UNBUFFERED = { redirect: 'error', window: null } as const

/** Sends a request; resolves when the response headers arrive. */
export async function send(settings: ClientSettings, outgoing: OutgoingRequest): Promise<Response> {
  const { url, verb, headers, body, deadline } = outgoing
  const { token } = settings
  let response: Response
  try {
    const init: object = {
      method: verb,
      headers: token === undefined ? headers : { ...headers, authorization: `Bearer ${token}` },
      body: body ?? null,
      signal: deadline.signal,
      ...(isStreamed(body) ? UNBUFFERED : { redirect: 'manual' }),
      credentials: 'omit',
      cache: 'no-store',
      // Required for a stream as the body. The types of some Node.js versions do not declare it.
      ...(body instanceof ReadableStream ? { duplex: 'half' } : {}),
    }
    response = await settings.fetch(url.href, init)
  } catch (thrown) {
    throw deadline.signal.aborted ? deadline.toError(thrown) : toConnectionError(url, thrown)
  }
  if (response.type === 'opaqueredirect' || (response.status > 300 && response.status < 309)) {
    if (response.status !== 304) throw redirectError(url, response)
  }
  return response
}

function isStreamed(body: OutgoingRequest['body']): boolean {
  return body instanceof ReadableStream || body instanceof Blob
}

function toConnectionError(url: URL, thrown: unknown): ConnectionError {
  if (hasCauseMessage(thrown, 'unexpected redirect')) return redirectError(url)
  const code = findErrorCode(thrown)
  if (hasCauseMessage(thrown, 'bad port')) {
    const message = `Cannot connect to ${url.origin}: fetch blocks its port, which belongs to another protocol`
    return new ConnectionError(message, { problem: 'unreachable', cause: thrown })
  }
  const suffix = code === undefined ? '' : ` (${code})`
  if (code !== undefined && (TRANSIENT_CODES.has(code) || PERMANENT_CODES.test(code))) {
    return new ConnectionError(`Cannot reach ${url.origin}${suffix}`, {
      problem: 'unreachable',
      isWorthRetrying: TRANSIENT_CODES.has(code),
      cause: thrown,
    })
  }
  // Browsers hide the reason, so that pages cannot scan the network.
  const isKnown = code !== undefined
  return new ConnectionError(
    isKnown ? `The connection to ${url.origin} broke${suffix}` : `Cannot connect to ${url.origin}`,
    { problem: 'broken', cause: thrown },
  )
}

/**
 * `fetch` blocks some ports, as browsers do, to protect servers of other protocols. That and a
 * redirect are reported in a message only.
 */
function hasCauseMessage(thrown: unknown, message: string): boolean {
  return thrown instanceof Error && (thrown.cause as Error | undefined)?.message === message
}

/** Node.js nests the system error in one or two `cause` levels. */
function findErrorCode(thrown: unknown): string | undefined {
  for (
    let cause = thrown, depth = 0;
    cause instanceof Error && depth < 4;
    cause = cause.cause, depth++
  ) {
    const { code } = cause as { code?: unknown }
    if (typeof code === 'string') return code
  }
  return undefined
}

function redirectError(url: URL, response?: Response): ConnectionError {
  const header = response?.headers.get('location')
  const location =
    typeof header === 'string' && URL.canParse(header, url.href)
      ? new URL(header, url).href
      : undefined
  void response?.body?.cancel()
  const target = location === undefined ? 'another address' : location
  return new ConnectionError(`${url.href} redirects to ${target}, which is not followed`, {
    problem: 'redirect',
    httpStatus: response?.status,
    location,
  })
}
