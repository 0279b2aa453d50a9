/** Measures the consecutive phases of a call. */
export class PhaseTimer {
  #startedAt = performance.now()
  #phases: Record<string, number> = {}
  #current: string
  #enteredAt = this.#startedAt

  constructor(first: string) {
    this.#current = first
  }

  /** Ends the current phase and begins another. */
  enter(name: string): void {
    const now = performance.now()
    this.#phases[this.#current] = roundMs(now - this.#enteredAt)
    this.#current = name
    this.#enteredAt = now
  }

  /** Ends the current phase and returns all durations. */
  timings(): { totalMs: number; phases: Readonly<Record<string, number>> } {
    this.enter(this.#current)
    return { totalMs: roundMs(performance.now() - this.#startedAt), phases: this.#phases }
  }
}

function roundMs(ms: number): number {
  return Math.round(ms * 10) / 10
}
