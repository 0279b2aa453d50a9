/** Pieces of a stream, looked at as one; copies only what lies across the border of two pieces. */
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

  /** The first bytes in one piece, as many as there are of the size. */
  peek(size: number): Buffer {
    const wanted = Math.min(size, this.#length)
    const head: Buffer[] = []
    for (let got = 0; got < wanted;) {
      const piece = this.#pieces.shift() as Buffer
      const taken = piece.subarray(0, wanted - got)
      head.push(taken)
      got += taken.length
      if (taken.length === piece.length) continue
      if (head.length === 1) {
        // All of it lies in the first piece, which stays as it is.
        this.#pieces.unshift(piece)
        return taken
      }
      this.#pieces.unshift(piece.subarray(taken.length))
    }
    const joined = head.length === 1 ? (head[0] as Buffer) : Buffer.concat(head)
    if (joined.length > 0) this.#pieces.unshift(joined)
    return joined
  }

  /** Takes the first bytes out. */
  shift(size: number): Buffer {
    const taken = this.peek(size)
    const first = this.#pieces.shift()
    if (first && first.length > taken.length) this.#pieces.unshift(first.subarray(taken.length))
    this.#length -= taken.length
    return taken
  }
}
