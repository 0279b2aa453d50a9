import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Engine } from '../engine/engine.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { CHUNK_BYTES, isObjectRef, matchUpload, type ChunkLocation } from './chunks.ts'
import {
  ObjectDamagedError,
  type ObjectRange,
  type ObjectRef,
  type Objects,
  type ObjectStream,
} from './objects.ts'
import { ReadAhead } from './read-ahead.ts'

/** Chunks that are fetched before a reader needs them. */
const CHUNKS_AHEAD = 4

/**
 * Objects in a stream. Chunks that no entry names, because their writer was killed, expire with the
 * stream `data`; `sweepUploads` removes them sooner, and those of `skills`, which do not expire.
 */
export function openObjects(engine: Engine, stream: ObjectStream): Objects {
  const location = { engine, stream }
  const read = (ref: ObjectRef, range: ObjectRange = {}) => readChunks(location, ref, range)
  return {
    writer: () => new ChunkWriter(location),
    async write(content) {
      const writer = new ChunkWriter(location)
      try {
        await writer.write(content)
        return await writer.close()
      } catch (error) {
        await writer.abort()
        throw error
      }
    },
    read: (ref, range) =>
      Readable.from(read(ref, range), { objectMode: false, highWaterMark: CHUNK_BYTES }),
    async readAll(ref) {
      const chunks: Buffer[] = []
      for await (const chunk of read(ref)) chunks.push(chunk)
      return Buffer.concat(chunks)
    },
    reader: (ref) => new ReadAhead(location, ref, 1),
    async remove({ upload, chunks }) {
      if (chunks > 0) await engine.remove(stream, matchUpload(stream, upload))
    },
  }
}

async function* readChunks(
  location: ChunkLocation,
  ref: ObjectRef,
  range: ObjectRange,
): AsyncGenerator<Buffer> {
  if (!isObjectRef(ref)) throw new ObjectDamagedError('the reference to the object is not valid')
  const start = Math.max(0, range.start ?? 0)
  const end = Math.min(ref.size, range.end ?? Infinity)
  const digest = start === 0 && end === ref.size ? createHash('sha256') : undefined
  if (start >= end) return
  const last = Math.ceil(end / CHUNK_BYTES) - 1
  const ahead = new ReadAhead(location, ref, CHUNKS_AHEAD)
  for (let chunk = Math.floor(start / CHUNK_BYTES); chunk <= last; chunk++) {
    const bytes = await ahead.chunk(chunk, last)
    digest?.update(bytes)
    if (digest && chunk === last) checkDigest(digest.digest('hex'), ref)
    const offset = chunk * CHUNK_BYTES
    yield bytes.subarray(Math.max(0, start - offset), end - offset)
  }
}

function checkDigest(hex: string, { digest, upload }: ObjectRef): void {
  if (`sha256:${hex}` === digest) return
  throw new ObjectDamagedError(`the content of "${upload}" does not match its digest`)
}
