/** Counts what a run says, on whatever way; says when it was too much. */
export class OutputMeter {
  #left: number
  #onFull: () => void

  constructor(limit: number, onFull: () => void) {
    this.#left = limit
    this.#onFull = onFull
  }

  /** How much of it may still be taken. */
  take(size: number): number {
    const taken = Math.max(0, Math.min(size, this.#left))
    this.#left -= size
    if (this.#left < 0) this.#onFull()
    return taken
  }
}
