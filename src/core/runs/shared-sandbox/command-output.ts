import { Readable } from 'node:stream'

/** Bytes of each output stream that the guest may send before they are read. */
export const OUTPUT_CREDIT: number = 256 * 1024

const HIGH_WATER_BYTES = 64 * 1024

/** Output of a command; grants the guest as many bytes as were read. */
export class CommandOutput extends Readable {
  #grant: (bytes: number) => void
  #ungranted = 0

  constructor(grant: (bytes: number) => void) {
    super({ highWaterMark: HIGH_WATER_BYTES })
    this.#grant = grant
  }

  receive(content: Buffer): void {
    this.#ungranted += content.length
    // The frame shares its memory with others.
    this.push(Buffer.from(content))
  }

  override _read(): void {
    if (this.#ungranted === 0) return
    const bytes = this.#ungranted
    this.#ungranted = 0
    this.#grant(bytes)
  }
}
