/** State of a call, as it changes. */
export interface CallChange<Result> {
  data?: Result
  error?: unknown
  isLoading: boolean
}

const FIRST_RETRY_MS = 1000
const LONGEST_RETRY_MS = 30_000
/** The shortest pause after a call. A slow answer has a longer one, so that half of the time is free. */
const SHORTEST_PAUSE_MS = 500

/**
 * A call that is made again on request, and with growing pauses while the server does not answer. There
 * are never two at once: a request during a call is one more call after its end.
 */
export class RepeatedCall<Result> {
  readonly #call: (signal: AbortSignal) => Promise<Result>
  readonly #report: (change: CallChange<Result>) => void
  readonly #aborted = new AbortController()
  /** True during a call and the pause after it. */
  #isBusy = false
  #isStale = false
  #retryMs = FIRST_RETRY_MS
  #timer: ReturnType<typeof setTimeout> | undefined

  constructor(
    call: (signal: AbortSignal) => Promise<Result>,
    report: (change: CallChange<Result>) => void,
  ) {
    this.#call = call
    this.#report = report
  }

  /** Calls now, or after the pause of the last call. */
  request(): void {
    if (this.#isBusy) this.#isStale = true
    else void this.#perform()
  }

  stop(): void {
    this.#aborted.abort()
    clearTimeout(this.#timer)
  }

  async #perform(): Promise<void> {
    clearTimeout(this.#timer)
    this.#isBusy = true
    this.#isStale = false
    this.#report({ isLoading: true })
    const begun = performance.now()
    const retryMs = await this.#attempt()
    if (this.#aborted.signal.aborted) return
    // A request need not wait for the next attempt of its own accord.
    this.#isBusy = retryMs === undefined
    const pauseMs = Math.max(SHORTEST_PAUSE_MS, performance.now() - begun)
    this.#timer = setTimeout(() => {
      this.#isBusy = false
      if (retryMs !== undefined || this.#isStale) void this.#perform()
    }, retryMs ?? pauseMs)
  }

  /** Returns the time until the next attempt if the server did not answer. */
  async #attempt(): Promise<number | undefined> {
    const { signal } = this.#aborted
    try {
      const data = await this.#call(signal)
      if (!signal.aborted) this.#report({ data, error: undefined, isLoading: false })
      this.#retryMs = FIRST_RETRY_MS
      return undefined
    } catch (error) {
      if (signal.aborted) return undefined
      this.#report({ error, isLoading: false })
      if ((error as Error).name !== 'ConnectionError') return undefined
      const waitMs = this.#retryMs
      this.#retryMs = Math.min(2 * waitMs, LONGEST_RETRY_MS)
      return waitMs
    }
  }
}
