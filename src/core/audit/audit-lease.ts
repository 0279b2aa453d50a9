import { isMainThread } from 'node:worker_threads'

/** Nobody who waits does so for longer, and nobody on another machine takes the owner for gone. */
const LONGEST_MS = 100
/** Whoever appends so often in a row keeps the lock from one record to the next. */
const OFTEN = 3

/** For how long the lock of a log is kept: getting it costs more than a record. */
export class AuditLease {
  #since = 0
  #used = -Infinity
  #inARow = 0
  #isOver = false

  /** The lock was taken. */
  begin(): void {
    this.#since = Date.now()
    this.#isOver = false
  }

  /** Records are about to be written. */
  use(): void {
    const now = performance.now()
    this.#inARow = now - this.#used < LONGEST_MS ? this.#inARow + 1 : 0
    this.#used = now
  }

  /** Something went wrong. */
  end(): void {
    this.#isOver = true
  }

  /** Whether more may be written; the machine may have slept. */
  mayGoOn(): boolean {
    const age = Date.now() - this.#since
    return !this.#isOver && age >= 0 && age < LONGEST_MS
  }

  /**
   * Whether the lock may be kept while there is nothing to write. A thread may be ended at any time,
   * and its lock would bear the mark of a process that lives on.
   */
  mayRest(): boolean {
    return isMainThread && this.#inARow >= OFTEN && this.mayGoOn()
  }
}
