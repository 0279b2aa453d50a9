import { readSync } from 'node:fs'

/** Reads bytes of a file from a position; fewer only at its end. */
export function readAt(fd: number, position: number, size: number): Buffer {
  const bytes = Buffer.alloc(size)
  let length = 0
  while (length < size) {
    const count = readSync(fd, bytes, length, size - length, position + length)
    if (count === 0) break
    length += count
  }
  return bytes.subarray(0, length)
}
