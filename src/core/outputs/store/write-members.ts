import { createHash, hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { constants, crc32, gzip } from 'node:zlib'
import { countLineEnds } from '../query/line-ends.ts'
import { packMember } from './member-index.ts'
import type { OutputSink, StoredStream } from './output-store.ts'

/** Bytes that are compressed together: the amount that is read for any line in them. */
export const MEMBER_BYTES = 256 * 1024
const FIRST_BLOCK_BYTES = 4096
/** Pending members before the producer has to wait. */
const MAX_PENDING_MEMBERS = 4
/** Fastest level: compression must not delay runs, and higher levels save little. */
const GZIP_OPTIONS = { level: constants.Z_BEST_SPEED }

const compress = promisify(gzip)

/** Compressing fewer bytes costs more than it saves. */
const MAX_UNCOMPRESSED_BYTES = 1024
const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

/** A gzip member with uncompressed content. */
function createStoredMember(bytes: Buffer): Buffer {
  const before = Buffer.alloc(5)
  // Final block, type "stored".
  before.writeUInt8(1, 0)
  before.writeUInt16LE(bytes.length, 1)
  before.writeUInt16LE(~bytes.length & 0xffff, 3)
  const after = Buffer.alloc(8)
  after.writeUInt32LE(crc32(bytes), 0)
  after.writeUInt32LE(bytes.length, 4)
  return Buffer.concat([GZIP_HEADER, before, bytes, after])
}

/** Writes a stream as a sequence of gzip members. */
export class MemberWriter implements OutputSink {
  #openFile: () => Promise<FileHandle>
  #onStored: (bytes: number) => void
  #file: FileHandle | undefined
  #hash = createHash('sha256')
  #block: Buffer = Buffer.alloc(0)
  #filled = 0
  #bytes = 0
  #members: Buffer[] = []
  #storedBytes = 0
  #lineEnds = 0
  #pending = 0
  /** Resolves when all earlier members are written. */
  #lastWrite: Promise<void> = Promise.resolve()
  #error: unknown

  constructor(openFile: () => Promise<FileHandle>, onStored: (bytes: number) => void) {
    this.#openFile = openFile
    this.#onStored = onStored
  }

  get bytes(): number {
    return this.#bytes
  }

  write(chunk: Buffer): Promise<void> | undefined {
    if (this.#error !== undefined) return undefined
    this.#hash.update(chunk)
    this.#bytes += chunk.length
    for (let at = 0; at < chunk.length;) {
      this.#growBlock(chunk.length - at)
      const copied = chunk.copy(this.#block, this.#filled, at)
      at += copied
      this.#filled += copied
      if (this.#filled === MEMBER_BYTES) this.#flush()
    }
    return this.#pending > MAX_PENDING_MEMBERS ? this.#lastWrite : undefined
  }

  /** Stops writing: later bytes are ignored, and `end` throws this error. */
  fail(problem: unknown): void {
    this.#error ??= problem
  }

  /** Compressed bytes of a stream that never reached a file; it has at most one member. */
  async finishInline(): Promise<Buffer> {
    if (this.#filled === 0) return Buffer.alloc(0)
    const bytes = this.#block.subarray(0, this.#filled)
    const stored =
      bytes.length <= MAX_UNCOMPRESSED_BYTES
        ? createStoredMember(bytes)
        : await compress(bytes, GZIP_OPTIONS)
    this.#filled = 0
    this.#addMember(bytes, stored)
    this.#onStored(stored.length)
    if (this.#error !== undefined) throw this.#error
    return stored
  }

  /** Writes the pending bytes and makes the file durable. */
  async end(): Promise<void> {
    if (this.#filled > 0) this.#flush()
    await this.#lastWrite
    if (this.#error !== undefined) throw this.#error
    await this.#file?.sync()
    await this.close()
  }

  async close(): Promise<void> {
    await this.#lastWrite
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  /** Valid after the stream has ended. */
  facts(): { members: string; stream: StoredStream } {
    return {
      members: Buffer.concat(this.#members).toString('base64'),
      stream: {
        bytes: this.#bytes,
        lines: this.#bytes === 0 ? 0 : this.#lineEnds + 1,
        sha256: this.#hash.digest('hex'),
        storedBytes: this.#storedBytes,
      },
    }
  }

  #growBlock(wanted: number): void {
    const size = this.#block.length
    if (this.#filled < size) return
    const next = Math.max(FIRST_BLOCK_BYTES, 2 * size, size + wanted)
    const block = Buffer.allocUnsafeSlow(Math.min(MEMBER_BYTES, next))
    this.#block.copy(block, 0, 0, this.#filled)
    this.#block = block
  }

  #flush(): void {
    const bytes = this.#block.subarray(0, this.#filled)
    this.#block = Buffer.alloc(0)
    this.#filled = 0
    this.#pending += 1
    const compressed = compress(bytes, GZIP_OPTIONS)
    // Compression fails only if memory is exhausted; the rejection must not count as unhandled
    // until it is awaited.
    compressed.catch(() => {})
    this.#lastWrite = this.#storeMember(this.#lastWrite, bytes, compressed)
  }

  async #storeMember(
    before: Promise<void>,
    bytes: Buffer,
    compressed: Promise<Buffer>,
  ): Promise<void> {
    await before
    try {
      if (this.#error !== undefined) return
      const stored = await compressed
      this.#file ??= await this.#openFile()
      for (let written = 0; written < stored.length;) {
        written += (await this.#file.write(stored, written)).bytesWritten
      }
      this.#addMember(bytes, stored)
      this.#onStored(stored.length)
    } catch (error) {
      this.#error ??= error
    } finally {
      this.#pending -= 1
    }
  }

  #addMember(bytes: Buffer, stored: Buffer): void {
    const digest = hash('sha256', stored, 'base64')
    const lineEnds = countLineEnds(bytes)
    const member = { bytes: bytes.length, stored: stored.length, lineEnds, digest }
    this.#members.push(packMember(member))
    this.#storedBytes += stored.length
    this.#lineEnds += lineEnds
  }
}
