/** Bytes that a run may send and receive, and the action once it exceeds them. */
export interface ByteLimit {
  maxBytes: number
  onExceeded: () => void
}

/** Counts the bytes of all connections of a run, in both directions together. */
export class ByteMeter {
  #limit: ByteLimit
  #bytes = 0

  constructor(limit: ByteLimit) {
    this.#limit = limit
  }

  get bytes(): number {
    return this.#bytes
  }

  /** Counts bytes; false if they exceed the limit and must not be passed on. */
  add(bytes: number): boolean {
    const wasWithin = this.#bytes <= this.#limit.maxBytes
    this.#bytes += bytes
    const isWithin = this.#bytes <= this.#limit.maxBytes
    if (wasWithin && !isWithin) this.#limit.onExceeded()
    return isWithin
  }
}
