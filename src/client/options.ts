import type { RunStreamEvent } from './events.ts'

export interface ClientOptions {
  /** Of the runtime, as `http://127.0.0.1:8080`; `/rpc` is added where there is no path. */
  url: string | URL
  /** Sent as a bearer token. */
  token?: string | undefined
  /** For everything but runs and streams; 30,000 unless given. Infinity waits for ever. */
  timeoutMs?: number | undefined
  /** For runs without a `timeout_ms` of their own; 660,000 unless given. */
  runTimeoutMs?: number | undefined
  /** Tries after the first one, where they cannot do anything twice; 3 unless given. */
  retries?: number | undefined
  /** The most that one answer may have; 64 MiB unless given. */
  maxAnswerBytes?: number | undefined
  /** Used instead of the global one, such as one that goes through a proxy. */
  fetch?: typeof fetch | undefined
}

/** What one call may ask for. */
export interface CallOptions {
  /** Ends the call, and a run with it. */
  signal?: AbortSignal | undefined
  timeoutMs?: number | undefined
  retries?: number | undefined
}

export interface RunOptions extends CallOptions {
  /** Told of everything that happens in the run, where the runtime can tell. */
  onEvent?: ((event: RunStreamEvent) => void) | undefined
  /** Names the run: `run_` and 20 to 64 characters of 0-9 and a-f; others may follow it by that. */
  runId?: string | undefined
}

/** The options with everything that was left out. */
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
/** The longest run that a runtime allows by default, and the wait for its turn. */
const RUN_TIMEOUT_MS = 660_000
const RETRIES = 3
const MAX_ANSWER_BYTES = 64 * 1024 ** 2

/** Fills in what was left out. Throws TypeError for an address that is none. */
export function readOptions(options: ClientOptions): ClientSettings {
  const { token } = options
  if (token !== undefined && !/^[!-~]+$/.test(token)) {
    throw new TypeError('A token has visible ASCII characters only')
  }
  let requests = 0
  return {
    endpoint: parseEndpoint(options.url),
    token,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    runTimeoutMs: options.runTimeoutMs ?? RUN_TIMEOUT_MS,
    retries: options.retries ?? RETRIES,
    maxAnswerBytes: options.maxAnswerBytes ?? MAX_ANSWER_BYTES,
    // A browser's fetch wants to be called as a function of its window.
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
    nextId: () => String(++requests),
  }
}

/** The address that calls are sent to; blobs and events lie beside it. */
function parseEndpoint(given: string | URL): URL {
  const text = String(given)
  if (!URL.canParse(text)) throw new TypeError(`"${text}" is no URL`)
  const url = new URL(text)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new TypeError(`Expected a URL with http or https, got "${text}"`)
  }
  if (url.username !== '' || url.password !== '') {
    throw new TypeError('Expected a URL without a name and password: give a token instead')
  }
  url.hash = ''
  if (url.pathname === '/') url.pathname = '/rpc'
  return url
}
