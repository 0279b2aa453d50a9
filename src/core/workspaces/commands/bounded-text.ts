import { wholeCharacters } from '../files/mime-of.ts'

/** The beginning of a stream, cut between characters. */
export class BoundedText {
  #limit: number
  #held: Buffer[] = []
  #size = 0

  constructor(limit: number) {
    this.#limit = limit
  }

  add(chunk: Buffer): void {
    const room = this.#limit - this.#size
    if (room > 0) this.#held.push(chunk.subarray(0, room))
    this.#size += chunk.length
  }

  get isCut(): boolean {
    return this.#size > this.#limit
  }

  text(): string {
    const bytes = Buffer.concat(this.#held)
    return Buffer.from(this.isCut ? wholeCharacters(bytes) : bytes).toString('utf8')
  }
}
