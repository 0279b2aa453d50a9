/** Thrown to stop work whose lease was lost or whose time is over. */
export class WorkStoppedError extends Error {
  override name = 'WorkStoppedError'
}

/** Permission to work, which can end at any time. */
export interface WorkPermit {
  readonly signal: AbortSignal
  /** Throws `WorkStoppedError` if the work must stop. */
  check(): void
}

/** The time of one keeper, from the lease that it took to the first renewal that failed. */
export class Term implements WorkPermit {
  readonly #validMs: number
  #ended = new AbortController()
  #timer: NodeJS.Timeout | undefined
  /** On the clock of `performance.now()`, which does not count the sleep of the machine. */
  #until = 0
  /** On the clock of `Date.now()`, which does. */
  #wallUntil = 0

  /** `validMs`: time after a renewal during which no other keeper can have taken the lease. */
  constructor(validMs: number) {
    this.#validMs = validMs
  }

  get signal(): AbortSignal {
    return this.#ended.signal
  }

  get isHeld(): boolean {
    if (this.signal.aborted) return false
    return performance.now() < this.#until && Date.now() < this.#wallUntil
  }

  /**
   * Call it before a renewal is sent, and the result when the engine has acknowledged it: the term counts
   * from the earlier time.
   */
  beginRenewal(): () => void {
    const until = performance.now() + this.#validMs
    const wallUntil = Date.now() + this.#validMs
    return () => {
      if (this.signal.aborted) return
      this.#until = until
      this.#wallUntil = wallUntil
      clearTimeout(this.#timer)
      this.#timer = setTimeout(() => this.end(), Math.max(0, until - performance.now()))
    }
  }

  end(): void {
    clearTimeout(this.#timer)
    this.#ended.abort()
  }

  check(): void {
    if (this.isHeld) return
    this.end()
    throw new WorkStoppedError('The lease of the keeper was lost')
  }
}
