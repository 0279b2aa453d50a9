import { dropPartialCharacter } from '../files/mime-type.ts'

/** Bytes of a stream that a result contains; the rest is stored under the id of the run. */
export const MAX_STREAM_BYTES: number = 16 * 1024

/** The beginning of a stream, cut at a character boundary. */
export class BoundedText {
  #limit: number
  #chunks: Buffer[] = []
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(chunk: Buffer): void {
    const room = this.#limit - this.#size
    if (room > 0) this.#chunks.push(chunk.subarray(0, room))
    this.#size += chunk.length
  }

  get isCut(): boolean {
    return this.#size > this.#limit
  }

  text(): string {
    const bytes = Buffer.concat(this.#chunks)
    return Buffer.from(this.isCut ? dropPartialCharacter(bytes) : bytes).toString('utf8')
  }
}
