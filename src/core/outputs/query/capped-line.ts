import { isAscii } from 'node:buffer'

/** Limit of a displayed line, in UTF-16 code units. */
const MAX_LINE_CHARACTERS = 500
/** UTF-8 needs at most three bytes for each UTF-16 code unit. */
const MAX_BUFFERED_BYTES = 3 * MAX_LINE_CHARACTERS + 8

/** A line of any length, of which only the beginning is buffered. */
export class CappedLine {
  #buffer: Buffer = Buffer.alloc(0)
  #bytes = 0
  #characters = 0

  /** Appends the next piece of the line; copies the bytes that it buffers. */
  add(piece: Uint8Array): this {
    const room = MAX_BUFFERED_BYTES - this.#buffer.length
    if (room > 0) this.#buffer = Buffer.concat([this.#buffer, piece.subarray(0, room)])
    this.#bytes += piece.length
    this.#characters += countCharacters(piece)
    return this
  }

  text(): string {
    const text = this.#buffer.toString('utf8')
    return this.#bytes <= MAX_BUFFERED_BYTES
      ? truncateLine(text)
      : formatTruncated(text, this.#characters)
  }
}

/** A line, or its first 500 characters and the number of missing ones: `… (+12) [truncated]`. */
function truncateLine(line: string): string {
  return line.length <= MAX_LINE_CHARACTERS ? line : formatTruncated(line, line.length)
}

function formatTruncated(beginning: string, characters: number): string {
  const isPair = /[\ud800-\udbff]/.test(beginning.charAt(MAX_LINE_CHARACTERS - 1))
  const shown = beginning.slice(0, isPair ? MAX_LINE_CHARACTERS - 1 : MAX_LINE_CHARACTERS)
  return `${shown}… (+${characters - shown.length}) [truncated]`
}

/**
 * Counts UTF-16 code units of UTF-8 bytes, piece by piece: one for each leading byte, two for a
 * four-byte sequence.
 */
function countCharacters(piece: Uint8Array): number {
  if (isAscii(piece)) return piece.length
  let count = 0
  for (const byte of piece) {
    if ((byte & 0xc0) !== 0x80) count += byte >= 0xf0 ? 2 : 1
  }
  return count
}
