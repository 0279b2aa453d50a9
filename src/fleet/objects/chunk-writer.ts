import { createHash, randomBytes } from 'node:crypto'
import { SkillsError } from '../../errors.ts'
import {
  CHECKSUM_BYTES,
  CHUNK_BYTES,
  computeChecksum,
  fetchChunk,
  matchUpload,
  nameChunk,
  type ChunkLocation,
} from './chunks.ts'
import type { ObjectRef, ObjectWriter } from './objects.ts'
import { OpenMarks } from './open-marks.ts'

/** Chunks that are on the way to the engine at once. */
const MAX_PENDING_CHUNKS = 8

/** Writes content as chunks. Nothing is stored before the first chunk is complete or the end is reached. */
export class ChunkWriter implements ObjectWriter {
  #location: ChunkLocation
  #upload = randomBytes(16).toString('hex')
  #marks: OpenMarks
  #hash = createHash('sha256')
  #written = 0
  /** The chunk that is being filled, after the bytes of its checksum. */
  #block: Buffer | undefined
  #filled = 0
  #chunks = 0
  /** Bytes of the chunks that the engine has not acknowledged. */
  #pending = new Map<number, Buffer>()
  #writes = new Set<Promise<void>>()
  #error: unknown
  #closing: Promise<ObjectRef> | undefined
  #isAborted = false

  constructor(location: ChunkLocation) {
    this.#location = location
    this.#marks = new OpenMarks(location, this.#upload)
  }

  get written(): number {
    return this.#written
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#closing || this.#isAborted) throw new Error('the object is closed')
    this.#hash.update(bytes)
    this.#written += bytes.length
    for (let at = 0; at < bytes.length;) {
      this.#block ??= Buffer.allocUnsafeSlow(CHECKSUM_BYTES + CHUNK_BYTES)
      const part = bytes.subarray(at, at + CHUNK_BYTES - this.#filled)
      this.#block.set(part, CHECKSUM_BYTES + this.#filled)
      at += part.length
      this.#filled += part.length
      if (this.#filled === CHUNK_BYTES) await this.#sendBlock()
    }
  }

  async read(offset: number, size: number): Promise<Buffer> {
    const end = Math.min(offset + size, this.#written)
    const parts: Buffer[] = []
    for (let at = offset; at < end;) {
      const chunk = Math.floor(at / CHUNK_BYTES)
      const start = chunk * CHUNK_BYTES
      const bytes = await this.#readChunk(chunk)
      parts.push(Buffer.from(bytes.subarray(at - start, end - start)))
      at = start + CHUNK_BYTES
    }
    return Buffer.concat(parts)
  }

  async close(): Promise<ObjectRef> {
    if (this.#isAborted) throw new Error('the object was aborted')
    this.#closing ??= this.#finish()
    return await this.#closing
  }

  async abort(): Promise<void> {
    if (this.#isAborted) return
    this.#isAborted = true
    this.#marks.stop()
    await Promise.all(this.#writes)
    // An engine that is away cannot remove anything either: the sweep does it later.
    const isAway = this.#error instanceof SkillsError && this.#error.code === 'fleet/unavailable'
    if (this.#chunks === 0 || isAway) return
    const { engine, stream } = this.#location
    await engine.remove(stream, matchUpload(stream, this.#upload)).catch(() => {})
  }

  async #finish(): Promise<ObjectRef> {
    try {
      if (this.#filled > 0) await this.#sendBlock()
      await Promise.all(this.#writes)
      this.#throwIfFailed()
      if (this.#chunks > 0) await this.#marks.checkStored()
    } finally {
      this.#marks.stop()
    }
    return {
      upload: this.#upload,
      chunks: this.#chunks,
      size: this.#written,
      digest: `sha256:${this.#hash.digest('hex')}`,
    }
  }

  /** Sends the filled part of the block, and waits while too many chunks are pending. */
  async #sendBlock(): Promise<void> {
    const body = (this.#block as Buffer).subarray(0, CHECKSUM_BYTES + this.#filled)
    const chunk = this.#chunks++
    this.#block = undefined
    this.#filled = 0
    const bytes = body.subarray(CHECKSUM_BYTES)
    body.set(computeChecksum(this.#upload, chunk, bytes))
    this.#pending.set(chunk, bytes)
    // Stored before the first chunk: a sweep finds abandoned chunks by it.
    if (chunk === 0) this.#follow(this.#marks.start())
    this.#follow(this.#store(chunk, body))
    while (this.#writes.size > MAX_PENDING_CHUNKS) await Promise.race(this.#writes)
    this.#throwIfFailed()
  }

  async #store(chunk: number, body: Buffer): Promise<void> {
    const { engine, stream } = this.#location
    const subject = nameChunk(stream, this.#upload, chunk)
    const { isCreated } = await engine.create(stream, subject, body)
    if (!isCreated) throw new Error(`"${subject}" exists already`)
    this.#pending.delete(chunk)
  }

  /** Remembers the first error; the write that follows throws it. */
  #follow(write: Promise<void>): void {
    const followed = write
      .catch((error: unknown) => {
        this.#error ??= error
      })
      .finally(() => this.#writes.delete(followed))
    this.#writes.add(followed)
  }

  async #readChunk(chunk: number): Promise<Buffer> {
    const pending = this.#pending.get(chunk)
    if (pending) return pending
    if (chunk === this.#chunks && this.#block) {
      return this.#block.subarray(CHECKSUM_BYTES, CHECKSUM_BYTES + this.#filled)
    }
    const size = Math.min(this.#written, this.#chunks * CHUNK_BYTES)
    const ref = { upload: this.#upload, chunks: this.#chunks, size, digest: '' }
    return await fetchChunk(this.#location, ref, chunk)
  }

  #throwIfFailed(): void {
    if (this.#error !== undefined) throw this.#error
  }
}
