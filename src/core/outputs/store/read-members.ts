import { hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { freeBuffer } from '../../../util/bytes/free-buffer.ts'
import type { MemberIndex } from './member-index.ts'
import type { ReadableStream, StoredStream, StreamPiece } from './output-store.ts'
import { MEMBER_BYTES } from './write-members.ts'
import { createGunzip } from 'node:zlib'

/** Content that cannot be compressed grows by less than one percent. */
const MAX_STORED_BYTES = 2 * MEMBER_BYTES

/** Storage of a stream's gzip members. */
interface MemberSource {
  /** Fills the buffer from this offset on; returns the number of bytes read. */
  read(into: Buffer, from: number): Promise<number>
}

/** Members in a file. */
export function createFileSource(file: FileHandle): MemberSource {
  return {
    async read(into, from) {
      let filled = 0
      while (filled < into.length) {
        const { bytesRead } = await file.read(into, filled, into.length - filled, from + filled)
        if (bytesRead === 0) break
        filled += bytesRead
      }
      return filled
    },
  }
}

/** Members in memory. */
export function createBufferSource(bytes: Buffer): MemberSource {
  return { read: async (into, from) => bytes.copy(into, 0, from) }
}

interface MemberStreamOptions {
  source: MemberSource
  members: MemberIndex
  facts: StoredStream
  /** Creates the error that reports damaged content. */
  toDamagedError: (cause: unknown) => Error
}

/** A stream of gzip members; a member's digest is verified before it is decompressed. */
export function createMemberStream(stream: MemberStreamOptions): ReadableStream {
  const { bytes, lines } = stream.facts
  return {
    bytes,
    lines,
    async read(fromLine, take) {
      const start = findStart(stream.members, fromLine)
      await readMembers(stream, start, take)
    },
  }
}

interface StreamStart {
  member: number
  offset: number
  lineEnds: number
}

/** The member in which a line begins. */
function findStart(members: MemberIndex, fromLine: number): StreamStart {
  let offset = 0
  let lineEnds = 0
  for (let member = 0; member < members.length; member++) {
    const { stored, lineEnds: ends } = members.at(member)
    // A line that begins at the end of a member begins in the next one, if any.
    const isLast = member === members.length - 1
    if (isLast || lineEnds + ends >= fromLine - 1) return { member, offset, lineEnds }
    offset += stored
    lineEnds += ends
  }
  return { member: 0, offset, lineEnds }
}

async function readMembers(
  { source, members, toDamagedError: damaged }: MemberStreamOptions,
  start: StreamStart,
  take: (piece: StreamPiece) => boolean,
): Promise<void> {
  let buffer = Buffer.alloc(0)
  const inflater = new MemberInflater()
  let from = start.offset
  let lineEndsBefore = start.lineEnds
  try {
    for (let at = start.member; at < members.length; at++) {
      const { bytes, stored, lineEnds, digest } = members.at(at)
      if (stored > MAX_STORED_BYTES) throw damaged(new Error('a member is too long'))
      if (buffer.length < stored) buffer = Buffer.allocUnsafeSlow(stored * 2)
      const compressed = buffer.subarray(0, stored)
      const isComplete = (await source.read(compressed, from)) === stored
      if (!isComplete || hash('sha256', compressed, 'base64') !== digest) {
        throw damaged(new Error('the digest does not match'))
      }
      const content = await inflater.inflate(compressed, bytes).catch((error: unknown) => {
        throw damaged(error)
      })
      const isWanted = take({ bytes: content, lineEndsBefore, lineEnds })
      freeBuffer(content)
      if (!isWanted) return
      from += stored
      lineEndsBefore += lineEnds
    }
  } finally {
    inflater.close()
  }
}

/** Decompresses gzip members one after the other with the same decoder. */
class MemberInflater {
  /** A member fills exactly one chunk, so the chunk is not shared. */
  #gunzip = createGunzip({ chunkSize: MEMBER_BYTES })
  #chunks: Buffer[] = []
  #size = 0

  constructor() {
    this.#gunzip.on('data', (chunk: Buffer) => {
      this.#chunks.push(chunk)
      this.#size += chunk.length
    })
  }

  /** Content of a member. Throws if its size is not `bytes`. */
  async inflate(compressed: Buffer, bytes: number): Promise<Buffer> {
    await new Promise<void>((resolve, reject) => {
      this.#gunzip.once('error', reject)
      this.#gunzip.write(compressed, () => {
        this.#gunzip.off('error', reject)
        resolve()
      })
    })
    const [first = Buffer.alloc(0)] = this.#chunks
    const content = this.#chunks.length > 1 ? Buffer.concat(this.#chunks) : first
    const size = this.#size
    this.#chunks = []
    this.#size = 0
    if (size !== bytes) throw new Error(`expected ${bytes} bytes, got ${size}`)
    return content
  }

  close(): void {
    this.#gunzip.on('error', () => {}).destroy()
  }
}
