export const LINE_END = 10

/** Counts the line feeds in [from, to). */
export function countLineEnds(bytes: Uint8Array, from = 0, to: number = bytes.length): number {
  let count = 0
  for (let at = from; at < to; at++) if (bytes[at] === LINE_END) count += 1
  return count
}

/** Offset of the line after `count` line feeds; undefined if there are fewer. */
export function skipLineEnds(bytes: Buffer, count: number): number | undefined {
  let at = 0
  for (let left = count; left > 0; left--) {
    const end = bytes.indexOf(LINE_END, at)
    if (end === -1) return undefined
    at = end + 1
  }
  return at
}
