const LENGTH_EXTRA = [
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
]
export const MAX_MATCH = 258
export const MAX_DISTANCE = 32 * 1024
/** Bytes below have codes of 8 bits, the others of 9 bits. */
export const FIRST_LONG_LITERAL = 144

/** Codes of bytes in the order in which deflate writes their bits (RFC 1951, 3.2.6). */
export function createLiteralCodes(): Uint16Array {
  return Uint16Array.from({ length: 256 }, (_, value) =>
    value < FIRST_LONG_LITERAL
      ? reverse(0x30 + value, 8)
      : reverse(0x190 + value - FIRST_LONG_LITERAL, 9),
  )
}

/** Codes of the lengths 3 to 258 with their extra bits, and the number of all these bits. */
export function createLengthTable(): { codes: Uint16Array; counts: Uint8Array } {
  const table = { codes: new Uint16Array(MAX_MATCH + 1), counts: new Uint8Array(MAX_MATCH + 1) }
  let length = 3
  for (const [index, extra] of LENGTH_EXTRA.entries()) {
    const symbol = 257 + index
    const count = symbol < 280 ? 7 : 8
    const code = reverse(symbol < 280 ? symbol - 256 : 0xc0 + symbol - 280, count)
    // The last code has the length 258, which the one before it could have as well.
    const first = index === LENGTH_EXTRA.length - 1 ? MAX_MATCH : length
    for (let offset = 0; offset < 1 << extra && first + offset <= MAX_MATCH; offset += 1) {
      table.codes[first + offset] = code | (offset << count)
      table.counts[first + offset] = count + extra
    }
    length += 1 << extra
  }
  return table
}

/** Codes of the 30 symbols of distances, 5 bits each. */
export function createDistanceCodes(): Uint8Array {
  return Uint8Array.from({ length: 30 }, (_, symbol) => reverse(symbol, 5))
}

/** Huffman codes are written from their highest bit. */
function reverse(code: number, count: number): number {
  let reversed = 0
  for (let at = 0; at < count; at += 1) reversed |= ((code >> at) & 1) << (count - 1 - at)
  return reversed
}
