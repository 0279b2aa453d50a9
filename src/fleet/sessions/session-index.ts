/** Last change of a session. */
export interface SessionChange {
  /** Position of the state in its stream. */
  seq: number
  /** Milliseconds since 1970. */
  changedAt: number
}

/**
 * Keys of sessions by their last change, oldest first. It lets a store remove the oldest session
 * without reading all of them again.
 */
export class SessionIndex {
  #changes: Map<string, SessionChange>

  /** Changes in their order. */
  constructor(changes: Iterable<readonly [string, SessionChange]>) {
    this.#changes = new Map(changes)
  }

  get size(): number {
    return this.#changes.size
  }

  get oldest(): readonly [string, SessionChange] | undefined {
    const [first] = this.#changes
    return first
  }

  /** Adds a change, which is the newest one. */
  add(key: string, change: SessionChange): void {
    this.#changes.delete(key)
    this.#changes.set(key, change)
  }

  remove(key: string): void {
    this.#changes.delete(key)
  }
}
