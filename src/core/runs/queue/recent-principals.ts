/** Time for which a principal counts as one that uses the queue. */
const RECENT_MS = 60_000

/** Principals that used the queue lately. */
export class RecentPrincipals {
  /** Time of the last use, the latest one last. */
  #usedAt = new Map<string, number>()
  #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  add(principal: string): void {
    this.#usedAt.delete(principal)
    this.#usedAt.set(principal, this.#now())
    this.#removeOld()
  }

  /** True if another principal than this one used the queue lately. */
  hasOther(principal: string): boolean {
    this.#removeOld()
    return this.#usedAt.size > (this.#usedAt.has(principal) ? 1 : 0)
  }

  #removeOld(): void {
    for (const [principal, usedAt] of this.#usedAt) {
      if (this.#now() - usedAt < RECENT_MS) return
      this.#usedAt.delete(principal)
    }
  }
}
