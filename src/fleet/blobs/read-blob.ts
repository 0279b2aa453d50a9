import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import { blobDamagedError, MAX_VERIFIED_FIRST_BYTES } from '../../core/storage/verify-blob.ts'
import { CHUNK_BYTES } from '../objects/chunks.ts'
import {
  ObjectDamagedError,
  ObjectMissingError,
  type ObjectRange,
  type Objects,
} from '../objects/objects.ts'
import type { BlobEntry } from './blob-entry.ts'

interface BlobContent {
  entry: BlobEntry
  objects: Objects
  /** Returns the error for chunks that are missing. */
  explainMissing: (cause: unknown) => Promise<Error>
}

/** The verified content of a blob, or a part of it. Small parts are read before the first byte is returned. */
export async function readBlob(blob: BlobContent, range: ObjectRange): Promise<Readable> {
  const { size } = blob.entry.info
  const start = Math.max(0, range.start ?? 0)
  const end = Math.min(size, range.end ?? size)
  if (end - start > MAX_VERIFIED_FIRST_BYTES) return streamBlob(blob, { start, end })
  const parts: Buffer[] = []
  for await (const part of readParts(blob, { start, end })) parts.push(part)
  return Readable.from(parts, { objectMode: false })
}

/** The verified content of a blob; errors are thrown by the stream. */
export function streamBlob(blob: BlobContent, range: ObjectRange = {}): Readable {
  const options = { objectMode: false, highWaterMark: CHUNK_BYTES }
  return Readable.from(readParts(blob, range), options)
}

async function* readParts(
  { entry: { info, content }, objects, explainMissing }: BlobContent,
  range: ObjectRange,
): AsyncGenerator<Buffer> {
  if (Buffer.isBuffer(content)) {
    const isWhole = content.length === info.size
    if (!isWhole || `sha256:${hash('sha256', content)}` !== info.digest)
      throw blobDamagedError(info.id)
    const part = content.subarray(range.start, range.end)
    if (part.length > 0) yield part
    return
  }
  try {
    yield* objects.read(content, range) as AsyncIterable<Buffer>
  } catch (error) {
    if (error instanceof ObjectDamagedError) throw blobDamagedError(info.id, error)
    throw error instanceof ObjectMissingError ? await explainMissing(error) : error
  }
}
