/** Counts all output of a run and calls `onFull` when the limit is exceeded. */
export class OutputMeter {
  #limit: number
  #left: number
  #onFull: () => void

  constructor(limit: number, onFull: () => void) {
    this.#limit = limit
    this.#left = limit
    this.#onFull = onFull
  }

  /** All bytes so far, also those beyond the limit. */
  get consumed(): number {
    return this.#limit - this.#left
  }

  /** Returns how many of these bytes are within the limit. */
  consume(size: number): number {
    const accepted = Math.max(0, Math.min(size, this.#left))
    this.#left -= size
    if (this.#left < 0) this.#onFull()
    return accepted
  }
}
