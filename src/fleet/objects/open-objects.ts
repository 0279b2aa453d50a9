import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { Engine } from '../engine/engine.ts'
import { ChunkWriter } from './chunk-writer.ts'
import { CHUNK_BYTES, isObjectRef, matchUpload, type ChunkLocation, fetchChunk } from './chunks.ts'
import {
  ObjectDamagedError,
  type ObjectRange,
  type ObjectRef,
  type Objects,
  type ObjectStream,
  type ObjectReader,
} from './objects.ts'

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

/** Fetches chunks before they are needed. Keeps only the current one and those ahead of it. */
class ReadAhead implements ObjectReader {
  #location: ChunkLocation
  #ref: ObjectRef
  /** Chunks that are fetched before they are needed. */
  #ahead: number
  #fetched = new Map<number, Promise<Buffer>>()

  constructor(location: ChunkLocation, ref: ObjectRef, ahead: number) {
    this.#location = location
    this.#ref = ref
    this.#ahead = ahead
  }

  /** Returns a chunk, and fetches those after it, but none after `last`. */
  async chunk(chunk: number, last: number = this.#ref.chunks - 1): Promise<Buffer> {
    const end = Math.min(last, chunk + this.#ahead)
    for (const each of this.#fetched.keys()) {
      if (each < chunk || each > end) this.#fetched.delete(each)
    }
    for (let each = chunk; each <= end; each++) {
      if (!this.#fetched.has(each)) this.#fetched.set(each, this.#fetch(each))
    }
    return await (this.#fetched.get(chunk) as Promise<Buffer>)
  }

  async read(into: Buffer, from: number): Promise<number> {
    const end = Math.min(from + into.length, this.#ref.size)
    let at = from
    while (at < end) {
      const chunk = Math.floor(at / CHUNK_BYTES)
      const start = chunk * CHUNK_BYTES
      const bytes = await this.chunk(chunk)
      at += bytes.copy(into, at - from, at - start, end - start)
    }
    return Math.max(0, at - from)
  }

  #fetch(chunk: number): Promise<Buffer> {
    const fetched = fetchChunk(this.#location, this.#ref, chunk)
    // The error is thrown where the chunk is needed, which may be never.
    fetched.catch(() => {})
    return fetched
  }
}
