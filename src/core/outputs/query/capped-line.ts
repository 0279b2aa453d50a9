import { isAscii } from 'node:buffer'

/** Characters that are shown of a line, as JavaScript counts them. */
const MAX_LINE_CHARACTERS = 500
/** No character takes more than three bytes for each that JavaScript counts. */
const MAX_BUFFERED_BYTES = 3 * MAX_LINE_CHARACTERS + 8

/** A line of any length, of which only the beginning is held. */
export class CappedLine {
  #buffer: Buffer = Buffer.alloc(0)
  #bytes = 0
  #characters = 0

  /** Takes the next piece of the line; copies what it holds. */
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

/** A line, or its first 500 characters and how many are missing: `… (+12) [truncated]`. */
function truncateLine(line: string): string {
  return line.length <= MAX_LINE_CHARACTERS ? line : formatTruncated(line, line.length)
}

function formatTruncated(beginning: string, characters: number): string {
  const isPair = /[\ud800-\udbff]/.test(beginning.charAt(MAX_LINE_CHARACTERS - 1))
  const shown = beginning.slice(0, isPair ? MAX_LINE_CHARACTERS - 1 : MAX_LINE_CHARACTERS)
  return `${shown}… (+${characters - shown.length}) [truncated]`
}

/** What UTF-8 comes to in UTF-16, piece by piece: bytes that begin a character, twice for long ones. */
function countCharacters(piece: Uint8Array): number {
  if (isAscii(piece)) return piece.length
  let count = 0
  for (const byte of piece) {
    if ((byte & 0xc0) !== 0x80) count += byte >= 0xf0 ? 2 : 1
  }
  return count
}
