import { CHUNK_BYTES, fetchChunk, type ChunkLocation } from './chunks.ts'
import type { ObjectReader, ObjectRef } from './objects.ts'

/** Fetches chunks before they are needed. Keeps only the current one and those ahead of it. */
export class ReadAhead implements ObjectReader {
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
