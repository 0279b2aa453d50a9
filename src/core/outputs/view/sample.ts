/** Buffered bytes at the beginning and at the end of a stream. */
const HEAD_BYTES = 1024 ** 2
const TAIL_BYTES = 3 * 1024 ** 2

/** The beginning and the end of a stream; a stream that is too long is cut at line ends. */
export class StreamSample {
  #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer[] = []
  #tailBytes = 0
  #isTruncated = false

  push(chunk: Buffer): void {
    const room = Math.min(chunk.length, HEAD_BYTES - this.#headBytes)
    if (room > 0) {
      this.#head.push(Buffer.from(chunk.subarray(0, room)))
      this.#headBytes += room
    }
    if (room === chunk.length) return
    this.#tail.push(Buffer.from(chunk.subarray(room)))
    this.#tailBytes += chunk.length - room
    // Trims rarely, because every trim copies the tail.
    if (this.#tailBytes > 2 * TAIL_BYTES) this.#trimTail()
  }

  text(): string {
    if (this.#tailBytes > TAIL_BYTES) this.#trimTail()
    const head = Buffer.concat(this.#head).toString('utf8')
    const tail = Buffer.concat(this.#tail).toString('utf8')
    if (!this.#isTruncated) return Buffer.concat([...this.#head, ...this.#tail]).toString('utf8')
    return head.slice(0, head.lastIndexOf('\n') + 1) + tail.slice(tail.indexOf('\n') + 1)
  }

  #trimTail(): void {
    const tail = Buffer.concat(this.#tail)
    this.#tail = [Buffer.from(tail.subarray(-TAIL_BYTES))]
    this.#tailBytes = Math.min(TAIL_BYTES, tail.length)
    this.#isTruncated ||= tail.length > TAIL_BYTES
  }
}
