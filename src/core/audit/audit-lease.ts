import { isMainThread } from 'node:worker_threads'

/** Nobody who waits does so for longer, and nobody on another machine takes the owner for gone. */
const MAX_LEASE_MS = 100
/** Whoever appends so often in a row keeps the lock from one record to the next. */
const FREQUENT_USES = 3

/** For how long the lock of a log is kept: getting it costs more than a record. */
export class AuditLease {
  #acquiredAt = 0
  #lastUsedAt = -Infinity
  #consecutiveUses = 0
  #isRevoked = false

  /** The lock was taken. */
  start(): void {
    this.#acquiredAt = Date.now()
    this.#isRevoked = false
  }

  /** Records are about to be written. */
  recordUse(): void {
    const now = performance.now()
    this.#consecutiveUses = now - this.#lastUsedAt < MAX_LEASE_MS ? this.#consecutiveUses + 1 : 0
    this.#lastUsedAt = now
  }

  /** Something went wrong. */
  revoke(): void {
    this.#isRevoked = true
  }

  /** Whether more may be written; the machine may have slept. */
  isValid(): boolean {
    const age = Date.now() - this.#acquiredAt
    return !this.#isRevoked && age >= 0 && age < MAX_LEASE_MS
  }

  /**
   * Whether the lock may be kept while there is nothing to write. A thread may be ended at any time,
   * and its lock would bear the mark of a process that lives on.
   */
  canStayIdle(): boolean {
    return isMainThread && this.#consecutiveUses >= FREQUENT_USES && this.isValid()
  }
}
