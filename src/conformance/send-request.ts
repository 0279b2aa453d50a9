import { SkillsError } from '../errors.ts'

/** The runtime under test. */
export interface RuntimeTarget {
  /** The URL of the JSON-RPC endpoint. */
  url: URL
  token: string | undefined
  timeoutMs: number
  signal: AbortSignal
}

/** A response with its body. */
export interface Reply {
  status: number
  headers: Headers
  text: string
  bytes: Uint8Array
  /** The body, if it is a JSON object. */
  json: Record<string, unknown> | undefined
}

/** Differences from a normal call of the endpoint. */
export interface SendOptions {
  verb?: string
  path?: string
  headers?: Readonly<Record<string, string>>
  /** Sent as the body instead of text. */
  bytes?: Uint8Array<ArrayBuffer>
}

export type SendRequest = (body: string | undefined, options: SendOptions) => Promise<Reply>

const MAX_BYTES = 16 * 1024 ** 2

/**
 * Creates a function that sends one request and reads the whole response. Throws SkillsError if no
 * response arrives.
 */
export function createSender({ url, token, timeoutMs, signal }: RuntimeTarget): SendRequest {
  const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
  return async (body, { verb = 'POST', path, headers, bytes: raw }) => {
    const content = raw ?? body
    const target = path === undefined ? url : new URL(path, url)
    // `AbortSignal.any` is not used: a combined signal that only `fetch` references may be
    // garbage-collected before it fires.
    const controller = new AbortController()
    let isLate = false
    const timer = setTimeout(() => {
      isLate = true
      controller.abort()
    }, timeoutMs)
    const onAbort = () => controller.abort(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    try {
      const response = await fetch(target, {
        method: verb,
        headers: { 'content-type': 'application/json', ...authorization, ...headers },
        ...(content === undefined ? {} : { body: content }),
        redirect: 'manual',
        signal: controller.signal,
      })
      const bytes = await readAllBytes(response)
      const text = new TextDecoder().decode(bytes)
      return {
        status: response.status,
        headers: response.headers,
        text,
        bytes,
        json: parseJsonObject(text),
      }
    } catch (cause) {
      if (signal.aborted || cause instanceof SkillsError) throw cause
      throw isLate ? timeoutError(target, timeoutMs, cause) : unreachableError(target, cause)
    } finally {
      clearTimeout(timer)
      signal.removeEventListener('abort', onAbort)
    }
  }
}

async function readAllBytes(response: Response): Promise<Uint8Array> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of response.body ?? []) {
    size += chunk.length
    if (size > MAX_BYTES) {
      throw new SkillsError('remote/unexpected', `The response has more than ${MAX_BYTES} bytes`)
    }
    chunks.push(chunk)
  }
  return Buffer.concat(chunks)
}

function parseJsonObject(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
    return isObject ? (value as Record<string, unknown>) : undefined
  } catch {
    return undefined
  }
}

// eslint-disable-next-line max-params -- the URL, the timeout and the cause
function timeoutError(url: URL, timeoutMs: number, cause: unknown): SkillsError {
  return new SkillsError(
    'remote/timeout',
    `No response from ${url.origin} within ${timeoutMs} ms`,
    {
      hint: 'Allow more time for each call with --timeout',
      cause,
    },
  )
}

function unreachableError(url: URL, thrown: unknown): SkillsError {
  const cause = thrown instanceof Error ? (thrown.cause ?? thrown) : thrown
  const { code } = (cause ?? {}) as { code?: string }
  return new SkillsError(
    'remote/unreachable',
    `Cannot reach ${url.origin} (${code ?? 'no answer'})`,
    {
      hint: 'Check the URL and that the runtime is running',
      cause,
    },
  )
}
