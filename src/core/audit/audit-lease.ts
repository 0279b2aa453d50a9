import { isMainThread } from 'node:worker_threads'

/**
 * Bounds the wait of other processes, and is far below the age at which another machine treats
 * the owner as dead.
 */
const MAX_LEASE_MS = 100
/** A process that appends this often in a row keeps the lock between records. */
const FREQUENT_USES = 3

/**
 * Decides how long the lock of a log is held, since acquiring it costs more than writing a record.
 */
export class AuditLease {
  #acquiredAt = 0
  #lastUsedAt = -Infinity
  #consecutiveUses = 0
  #isRevoked = false

  /** Starts the lease; call it when the lock was acquired. */
  start(): void {
    this.#acquiredAt = Date.now()
    this.#isRevoked = false
  }

  /** Counts a write that is about to happen. */
  recordUse(): void {
    const now = performance.now()
    this.#consecutiveUses = now - this.#lastUsedAt < MAX_LEASE_MS ? this.#consecutiveUses + 1 : 0
    this.#lastUsedAt = now
  }

  /** Ends the lease after a failure. */
  revoke(): void {
    this.#isRevoked = true
  }

  /**
   * True if more records may be written. The wall clock is compared because the machine may have
   * slept.
   */
  isValid(): boolean {
    const age = Date.now() - this.#acquiredAt
    return !this.#isRevoked && age >= 0 && age < MAX_LEASE_MS
  }

  /**
   * True if the lock may be held without pending writes. Only on the main thread: a worker thread
   * can end at any time, and its lock would carry the mark of a process that is still alive.
   */
  canStayIdle(): boolean {
    return isMainThread && this.#consecutiveUses >= FREQUENT_USES && this.isValid()
  }
}
