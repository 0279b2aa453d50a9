/** Entries that wait for their turn, and the position up to which all were applied. */
export class PendingEntries {
  /** Positions of entries that are not applied, by subject, lowest first. */
  #positions = new Map<string, number>()
  #waiting = new Set<string>()
  #running = new Set<string>()
  #highest = 0

  /** Position up to which everything was applied. */
  get revision(): number {
    const [lowest] = this.#positions.values()
    return lowest === undefined ? this.#highest : lowest - 1
  }

  get isIdle(): boolean {
    return this.#waiting.size + this.#running.size === 0
  }

  get running(): number {
    return this.#running.size
  }

  /** Adds a newly stored entry, which replaces an earlier one of its subject. */
  add(subject: string, seq: number): void {
    this.#positions.delete(subject)
    this.#positions.set(subject, seq)
    this.skip(seq)
    this.#waiting.add(subject)
  }

  /** Notes a position that needs no work. */
  skip(seq: number): void {
    this.#highest = Math.max(this.#highest, seq)
  }

  /** Applies an entry again. */
  repeat(subject: string): void {
    this.#waiting.add(subject)
  }

  /** Takes the next subject of which no entry is being applied. */
  take(): string | undefined {
    for (const subject of this.#waiting) {
      if (this.#running.has(subject)) continue
      this.#waiting.delete(subject)
      this.#running.add(subject)
      return subject
    }
    return undefined
  }

  /** Ends the work on an entry; a newer one of its subject may wait. */
  finish(subject: string, seq: number): void {
    this.#running.delete(subject)
    if ((this.#positions.get(subject) ?? 0) <= seq) this.#positions.delete(subject)
  }

  /** Forgets all positions, of a stream that begins again. */
  reset(): void {
    this.#positions.clear()
    this.#highest = 0
  }
}
