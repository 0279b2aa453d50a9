import { closeSync, openSync, readSync } from 'node:fs'

/**
 * Bytes of a file; undefined above `limit`. A device or a pipe has no known size and may never end.
 */
export function readUpTo(path: string, limit: number): Buffer | undefined {
  const fd = openSync(path, 'r')
  try {
    const chunks: Buffer[] = []
    for (let remaining = limit; ;) {
      const chunk = Buffer.allocUnsafe(Math.min(remaining + 1, 65_536))
      const size = readSync(fd, chunk)
      if (size === 0) return Buffer.concat(chunks)
      remaining -= size
      if (remaining < 0) return undefined
      chunks.push(chunk.subarray(0, size))
    }
  } finally {
    closeSync(fd)
  }
}

/** The same as text; throws above `limit`. */
export function readTextUpTo(path: string, limit: number): string {
  const bytes = readUpTo(path, limit)
  if (!bytes) throw new Error(`it has more than ${limit} bytes`)
  return bytes.toString('utf8')
}

/** All bytes of a stream; undefined as soon as they exceed `limit`. */
export async function readStreamUpTo(
  stream: AsyncIterable<Uint8Array | string>,
  limit: number,
): Promise<Buffer | undefined> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream) {
    const bytes = Buffer.from(chunk as Uint8Array)
    size += bytes.length
    if (size > limit) return undefined
    chunks.push(bytes)
  }
  return Buffer.concat(chunks)
}
