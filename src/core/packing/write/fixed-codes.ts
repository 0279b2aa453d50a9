/** Bits of a symbol in the order in which deflate writes them, and their number. */
export interface CodeTable {
  bits: Uint32Array
  counts: Uint8Array
}

const LENGTH_EXTRA = [
  0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2, 3, 3, 3, 3, 4, 4, 4, 4, 5, 5, 5, 5, 0,
]
const DISTANCE_EXTRA_STEP = 2
export const MAX_MATCH = 258
export const MAX_DISTANCE = 32 * 1024

/** Codes of bytes (RFC 1951, 3.2.6). */
export function createLiteralTable(): CodeTable {
  const table = { bits: new Uint32Array(256), counts: new Uint8Array(256) }
  for (let value = 0; value < 256; value += 1) {
    const count = value < 144 ? 8 : 9
    table.bits[value] = reverse(value < 144 ? 0x30 + value : 0x190 + value - 144, count)
    table.counts[value] = count
  }
  return table
}

/** Codes of the lengths 3 to 258, with their extra bits. */
export function createLengthTable(): CodeTable {
  const table = { bits: new Uint32Array(MAX_MATCH + 1), counts: new Uint8Array(MAX_MATCH + 1) }
  let length = 3
  for (const [index, extra] of LENGTH_EXTRA.entries()) {
    const symbol = 257 + index
    const count = symbol < 280 ? 7 : 8
    const code = reverse(symbol < 280 ? symbol - 256 : 0xc0 + symbol - 280, count)
    // The last code has the length 258, which the one before it could have as well.
    const first = index === LENGTH_EXTRA.length - 1 ? MAX_MATCH : length
    for (let offset = 0; offset < 1 << extra && first + offset <= MAX_MATCH; offset += 1) {
      table.bits[first + offset] = code | (offset << count)
      table.counts[first + offset] = count + extra
    }
    length += 1 << extra
  }
  return table
}

/** Codes of the distances 1 to 32,768, with their extra bits. */
export function createDistanceTable(): CodeTable {
  const table = {
    bits: new Uint32Array(MAX_DISTANCE + 1),
    counts: new Uint8Array(MAX_DISTANCE + 1),
  }
  let distance = 1
  for (let symbol = 0; symbol < 30; symbol += 1) {
    const extra = Math.max(0, (symbol >> 1) - DISTANCE_EXTRA_STEP + 1)
    const code = reverse(symbol, 5)
    for (let offset = 0; offset < 1 << extra; offset += 1) {
      table.bits[distance + offset] = code | (offset << 5)
      table.counts[distance + offset] = 5 + extra
    }
    distance += 1 << extra
  }
  return table
}

/** Huffman codes are written from their highest bit. */
function reverse(code: number, count: number): number {
  let reversed = 0
  for (let at = 0; at < count; at += 1) reversed |= ((code >> at) & 1) << (count - 1 - at)
  return reversed
}
