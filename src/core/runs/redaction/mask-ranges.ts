export const MASK = '[redacted]'

/** Masks ranges, sorted by start. Overlapping ranges are merged. */
export function maskRanges(bytes: string, ranges: readonly (readonly [number, number])[]): string {
  let clean = ''
  let done = 0
  for (const [start, end] of ranges) {
    if (start >= done) clean += bytes.slice(done, start) + MASK
    done = Math.max(done, end)
  }
  return clean + bytes.slice(done)
}

/** Number of ranges after overlapping ones are merged. */
export function countSeparate(ranges: readonly [number, number][]): number {
  let [count, done] = [0, 0]
  for (const [start, end] of ranges) {
    if (start >= done) count += 1
    done = Math.max(done, end)
  }
  return count
}
