import { cancelledError } from '../../errors.ts'

/** One task for several callers. It is aborted when the last of them has left. */
export class SharedTask<Result> {
  readonly #aborting = new AbortController()
  readonly #result: Promise<Result>
  #callers = 0

  constructor(start: (signal: AbortSignal) => Promise<Result>) {
    this.#result = start(this.#aborting.signal)
    // Without a caller, an error has no receiver.
    this.#result.catch(() => {})
  }

  /** True if its callers have left: another caller has to start it again. */
  get isAbandoned(): boolean {
    return this.#aborting.signal.aborted
  }

  /** Waits for the result. The caller leaves when its signal aborts. */
  async join(signal: AbortSignal | undefined): Promise<Result> {
    this.#callers += 1
    let leave = () => {}
    const left = new Promise<never>((_, fail) => {
      leave = () => fail(cancelledError())
    })
    if (signal?.aborted) leave()
    signal?.addEventListener('abort', leave, { once: true })
    try {
      return await Promise.race([left, this.#result])
    } finally {
      signal?.removeEventListener('abort', leave)
      this.#callers -= 1
      if (this.#callers === 0) this.#aborting.abort()
    }
  }
}
