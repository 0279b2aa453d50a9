import type { RunStreamEvent } from './events.ts'

export interface ClientOptions {
  /** URL of the runtime, such as `http://127.0.0.1:8080`. `/rpc` is appended if it has no path. */
  url: string | URL
  /** Sent as a bearer token. */
  token?: string | undefined
  /** Sends the token over plain http to other machines as well, where others may read it. */
  allowPlainHttp?: boolean | undefined
  /** Timeout of every call except runs and streams. Defaults to 30,000; Infinity disables it. */
  timeoutMs?: number | undefined
  /** Timeout of runs without their own `timeout_ms`. Defaults to 660,000. */
  runTimeoutMs?: number | undefined
  /**
   * Number of retries, made only where a repeated call cannot execute anything twice. Defaults to
   * 3.
   */
  retries?: number | undefined
  /** Maximum size of one response. Defaults to 64 MiB. */
  maxAnswerBytes?: number | undefined
  /** Replaces the global `fetch`, for example to use a proxy. */
  fetch?: typeof fetch | undefined
}

/** Options of one call. */
export interface CallOptions {
  /** Cancels the call and its run. */
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  retries?: number | undefined
}

export interface RunOptions extends CallOptions {
  /** Receives the events of the run, if the runtime sends events. */
  onEvent?: ((event: RunStreamEvent) => void) | undefined
  /**
   * Id of the run: `run_` and 20 to 64 characters of 0-9 and a-f. Other clients can follow the run
   * by it.
   */
  runId?: string | undefined
}

/** The options with defaults applied. */
export interface ClientSettings {
  endpoint: URL
  token: string | undefined
  timeoutMs: number
  runTimeoutMs: number
  retries: number
  maxAnswerBytes: number
  fetch: typeof fetch
  /** Id of the next request. */
  nextId: () => string
}

const TIMEOUT_MS = 30_000
/** The longest run that a runtime allows by default, plus time in the queue. */
const RUN_TIMEOUT_MS = 660_000
const RETRIES = 3
const MAX_ANSWER_BYTES = 64 * 1024 ** 2

/** Applies the defaults. Throws TypeError for an invalid URL or token, or if others could read the token. */
export function readOptions(options: ClientOptions): ClientSettings {
  const { token } = options
  if (token !== undefined && !/^[!-~]+$/.test(token)) {
    throw new TypeError('Expected a token of visible ASCII characters only')
  }
  const endpoint = parseEndpoint(options.url)
  if (token !== undefined && options.allowPlainHttp !== true && !isPrivateAddress(endpoint)) {
    throw new TypeError(
      `Expected https for "${endpoint.origin}": a token is sent over plain http to this machine only`,
    )
  }
  let requests = 0
  return {
    endpoint,
    token,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    runTimeoutMs: options.runTimeoutMs ?? RUN_TIMEOUT_MS,
    retries: options.retries ?? RETRIES,
    maxAnswerBytes: options.maxAnswerBytes ?? MAX_ANSWER_BYTES,
    // A browser's `fetch` throws unless it is called on `window`.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    nextId: () => String(++requests),
  }
}

/**
 * True if no other machine can read the requests. A name such as `127.evil.example` is another host.
 * As `isSafeAddress` of util, which is not in the browser's build: that has no module but errors.ts.
 */
function isPrivateAddress({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || /^(?:localhost|\[::1\]|127(?:\.\d{1,3}){3})$/.test(hostname)
}

/** The URL of calls. Blobs and events use sibling paths. */
function parseEndpoint(source: string | URL): URL {
  const text = String(source)
  if (!URL.canParse(text)) throw new TypeError(`"${text}" is not a valid URL`)
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`Expected a URL with http or https, got "${text}"`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('Expected a URL without a user name and password: pass a token instead')
  }
  url.hash = ''
  if (url.pathname === '/') url.pathname = '/rpc'
  return url
}
