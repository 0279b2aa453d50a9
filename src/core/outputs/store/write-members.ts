import { createHash, hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { constants, crc32, gzip } from 'node:zlib'
import { countLineEnds } from '../query/line-ends.ts'
import { packMember } from './member-index.ts'
import type { OutputSink, StoredStream } from './output-store.ts'

/** Bytes that are compressed together: what has to be read for any line of them. */
export const MEMBER_BYTES = 256 * 1024
const FIRST_BLOCK = 4096
/** Members that wait for their turn before who writes is asked to wait. */
const MOST_WAITING = 4
/** Runs are not to wait for it; more time would not save much. */
const OPTIONS = { level: constants.Z_BEST_SPEED }

const compress = promisify(gzip)

/** To compress less would cost more than it saves. */
const NOT_COMPRESSED = 1024
const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff])

/** A gzip member that holds the bytes as they are. */
function asMember(bytes: Buffer): Buffer {
  const before = Buffer.alloc(5)
  // The last block, and not compressed.
  before.writeUInt8(1, 0)
  before.writeUInt16LE(bytes.length, 1)
  before.writeUInt16LE(~bytes.length & 0xffff, 3)
  const after = Buffer.alloc(8)
  after.writeUInt32LE(crc32(bytes), 0)
  after.writeUInt32LE(bytes.length, 4)
  return Buffer.concat([HEADER, before, bytes, after])
}

/** A stream as it is being kept: gzip members one after the other. */
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
  #waiting = 0
  /** Done when all members before are written. */
  #last: Promise<void> = Promise.resolve()
  #problem: unknown

  constructor(openFile: () => Promise<FileHandle>, onStored: (bytes: number) => void) {
    this.#openFile = openFile
    this.#onStored = onStored
  }

  get bytes(): number {
    return this.#bytes
  }

  write(chunk: Buffer): Promise<void> | undefined {
    if (this.#problem !== undefined) return undefined
    this.#hash.update(chunk)
    this.#bytes += chunk.length
    for (let at = 0; at < chunk.length;) {
      this.#makeRoom(chunk.length - at)
      const copied = chunk.copy(this.#block, this.#filled, at)
      at += copied
      this.#filled += copied
      if (this.#filled === MEMBER_BYTES) this.#flush()
    }
    return this.#waiting > MOST_WAITING ? this.#last : undefined
  }

  /** Gives up: nothing more is taken, and `end` throws this. */
  fail(problem: unknown): void {
    this.#problem ??= problem
  }

  /** All of a stream that never got as far as a file, compressed; it has one member or none. */
  async inline(): Promise<Buffer> {
    if (this.#filled === 0) return Buffer.alloc(0)
    const bytes = this.#block.subarray(0, this.#filled)
    const stored = bytes.length <= NOT_COMPRESSED ? asMember(bytes) : await compress(bytes, OPTIONS)
    this.#filled = 0
    this.#add(bytes, stored)
    this.#onStored(stored.length)
    if (this.#problem !== undefined) throw this.#problem
    return stored
  }

  /** Writes what is left and makes it durable. */
  async end(): Promise<void> {
    if (this.#filled > 0) this.#flush()
    await this.#last
    if (this.#problem !== undefined) throw this.#problem
    await this.#file?.sync()
    await this.close()
  }

  async close(): Promise<void> {
    await this.#last
    const file = this.#file
    this.#file = undefined
    await file?.close()
  }

  /** Good when it has ended. */
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

  #makeRoom(wanted: number): void {
    const size = this.#block.length
    if (this.#filled < size) return
    const next = Math.max(FIRST_BLOCK, 2 * size, size + wanted)
    const block = Buffer.allocUnsafeSlow(Math.min(MEMBER_BYTES, next))
    this.#block.copy(block, 0, 0, this.#filled)
    this.#block = block
  }

  #flush(): void {
    const bytes = this.#block.subarray(0, this.#filled)
    this.#block = Buffer.alloc(0)
    this.#filled = 0
    this.#waiting += 1
    const compressed = compress(bytes, OPTIONS)
    // Compressing fails only where memory does; that must not go unhandled until it is awaited.
    compressed.catch(() => {})
    this.#last = this.#store(this.#last, bytes, compressed)
  }

  async #store(before: Promise<void>, bytes: Buffer, compressed: Promise<Buffer>): Promise<void> {
    await before
    try {
      if (this.#problem !== undefined) return
      const stored = await compressed
      this.#file ??= await this.#openFile()
      for (let done = 0; done < stored.length;) {
        done += (await this.#file.write(stored, done)).bytesWritten
      }
      this.#add(bytes, stored)
      this.#onStored(stored.length)
    } catch (error) {
      this.#problem ??= error
    } finally {
      this.#waiting -= 1
    }
  }

  #add(bytes: Buffer, stored: Buffer): void {
    const digest = hash('sha256', stored, 'base64')
    const lineEnds = countLineEnds(bytes)
    const member = { bytes: bytes.length, stored: stored.length, lineEnds, digest }
    this.#members.push(packMember(member))
    this.#storedBytes += stored.length
    this.#lineEnds += lineEnds
  }
}
