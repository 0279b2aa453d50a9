/** A notification of progress; its value is larger than that of all earlier ones. */
interface ScaledProgress {
  progress: number
  total: number
}

/** Relative increase of a notification without a larger value. */
const SMALLEST_STEP = 1e-6
/** Phases that precede and follow the steps of the code. */
const PHASES = 4

/**
 * Computes values for `notifications/progress`, which must increase: first the phases of a run, then
 * the steps that its code reports. A new series of steps continues after the last value.
 */
export class ProgressScale {
  #last = -1
  #total = PHASES
  #base = 0
  #series: { done: number; total: number } | undefined

  /** Enters a phase, of which the last one is PHASES. */
  enterPhase(phase: number): ScaledProgress {
    return this.#advance(this.#total - (PHASES - phase))
  }

  /** Reports a run that continues without news. */
  repeat(): ScaledProgress {
    return this.#advance(this.#last)
  }

  reportSteps(done: number, total: number): ScaledProgress {
    if (total !== this.#series?.total || done < this.#series.done) this.#base = this.#last
    this.#series = { done, total }
    this.#total = this.#base + total + 2
    return this.#advance(this.#base + done)
  }

  #advance(value: number): ScaledProgress {
    const smallest = this.#last + Math.max(1, Math.abs(this.#last)) * SMALLEST_STEP
    this.#last = this.#last === -1 ? value : Math.max(value, smallest)
    this.#total = Math.max(this.#total, this.#last)
    return { progress: this.#last, total: this.#total }
  }
}
