/** What is held of a stream of which all lines may matter. */
const HEAD = 1024 ** 2
const TAIL = 3 * 1024 ** 2

/** The beginning and the end of a stream, in whole lines where it was too long to hold. */
export class Sample {
  #head: Buffer[] = []
  #headBytes = 0
  #tail: Buffer[] = []
  #tailBytes = 0
  #hasLost = false

  push(chunk: Buffer): void {
    const room = Math.min(chunk.length, HEAD - this.#headBytes)
    if (room > 0) {
      this.#head.push(Buffer.from(chunk.subarray(0, room)))
      this.#headBytes += room
    }
    if (room === chunk.length) return
    this.#tail.push(Buffer.from(chunk.subarray(room)))
    this.#tailBytes += chunk.length - room
    // What is cut off is not looked for piece by piece.
    if (this.#tailBytes > 2 * TAIL) this.#shorten()
  }

  text(): string {
    if (this.#tailBytes > TAIL) this.#shorten()
    const head = Buffer.concat(this.#head).toString('utf8')
    const tail = Buffer.concat(this.#tail).toString('utf8')
    if (!this.#hasLost) return Buffer.concat([...this.#head, ...this.#tail]).toString('utf8')
    return head.slice(0, head.lastIndexOf('\n') + 1) + tail.slice(tail.indexOf('\n') + 1)
  }

  #shorten(): void {
    const tail = Buffer.concat(this.#tail)
    this.#tail = [Buffer.from(tail.subarray(-TAIL))]
    this.#tailBytes = Math.min(TAIL, tail.length)
    this.#hasLost ||= tail.length > TAIL
  }
}
