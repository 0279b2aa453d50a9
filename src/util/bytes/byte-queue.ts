/** Queue of stream chunks, read as one buffer; copies only data across chunk borders. */
export class ByteQueue {
  #pieces: Buffer[] = []
  #length = 0

  get length(): number {
    return this.#length
  }

  push(piece: Buffer): void {
    if (piece.length > 0) this.#pieces.push(piece)
    this.#length += piece.length
  }

  /** The first `size` bytes, or fewer, in one buffer. */
  peek(size: number): Buffer {
    const available = Math.min(size, this.#length)
    const head: Buffer[] = []
    for (let got = 0; got < available;) {
      const piece = this.#pieces.shift() as Buffer
      const taken = piece.subarray(0, available - got)
      head.push(taken)
      got += taken.length
      if (taken.length === piece.length) continue
      if (head.length === 1) {
        // The first chunk contains all of it and is not copied.
        this.#pieces.unshift(piece)
        return taken
      }
      this.#pieces.unshift(piece.subarray(taken.length))
    }
    const joined = head.length === 1 ? (head[0] as Buffer) : Buffer.concat(head)
    if (joined.length > 0) this.#pieces.unshift(joined)
    return joined
  }

  /** Removes and returns the first bytes. */
  shift(size: number): Buffer {
    const taken = this.peek(size)
    const first = this.#pieces.shift()
    if (first && first.length > taken.length) this.#pieces.unshift(first.subarray(taken.length))
    this.#length -= taken.length
    return taken
  }
}
