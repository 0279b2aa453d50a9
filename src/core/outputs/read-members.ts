import { hash } from 'node:crypto'
import type { FileHandle } from 'node:fs/promises'
import { promisify } from 'node:util'
import { gunzip, type InputType, type ZlibOptions } from 'node:zlib'
import { freeBuffer } from '../../util/free-buffer.ts'
import type { Member } from './manifest.ts'
import type { ReadableStream, StoredStream, StreamPiece } from './output-store.ts'

const decompress = promisify<InputType, ZlibOptions, Buffer>(gunzip)

/** Smaller buffers would share their memory with others. */
const LEAST_CHUNK = 64 * 1024

/** Where the members of a stream lie. */
export interface MemberSource {
  /** Fills the buffer from this byte on; says how much there was. */
  read(into: Buffer, from: number): Promise<number>
}

/** Members of a file. */
export function fileSource(file: FileHandle): MemberSource {
  return {
    async read(into, from) {
      let done = 0
      while (done < into.length) {
        const { bytesRead } = await file.read(into, done, into.length - done, from + done)
        if (bytesRead === 0) break
        done += bytesRead
      }
      return done
    },
  }
}

/** Members that lie in memory. */
export function bufferSource(bytes: Buffer): MemberSource {
  return { read: async (into, from) => bytes.copy(into, 0, from) }
}

interface MemberStream {
  source: MemberSource
  members: readonly Member[]
  facts: StoredStream
  /** Made of what went wrong. */
  damaged: (cause: unknown) => Error
}

/** A stream of gzip members; a member is looked at after its digest was found right. */
export function memberStream(stream: MemberStream): ReadableStream {
  const { bytes, lines } = stream.facts
  return {
    bytes,
    lines,
    async read(fromLine, take) {
      const start = startAt(stream.members, fromLine)
      await readFrom(stream, start, take)
    },
  }
}

interface Start {
  member: number
  offset: number
  lineEnds: number
}

/** The member in which a line begins: right after so many line ends. */
function startAt(members: readonly Member[], fromLine: number): Start {
  let offset = 0
  let lineEnds = 0
  for (const [member, [, stored, ends]] of members.entries()) {
    // A line that begins where a member ends begins in the next one, if there is one.
    const isLast = member === members.length - 1
    if (isLast || lineEnds + ends >= fromLine - 1) return { member, offset, lineEnds }
    offset += stored
    lineEnds += ends
  }
  return { member: 0, offset, lineEnds }
}

async function readFrom(
  stream: MemberStream,
  { member, offset, lineEnds }: Start,
  take: (piece: StreamPiece) => boolean,
): Promise<void> {
  const members = stream.members.slice(member)
  const most = Math.max(0, ...members.map(([, stored]) => stored))
  // One is decompressed while the other is looked at.
  const buffers = [Buffer.allocUnsafeSlow(most), Buffer.allocUnsafeSlow(most)]
  let from = offset
  const load = (at: number) => {
    const next = members[at]
    if (!next) return undefined
    const loading = loadMember(stream, next, { from, into: buffers[at % 2] as Buffer })
    from += next[1]
    // What fails while the other one is looked at must not go unhandled until it is awaited.
    loading.catch(() => {})
    return loading
  }
  let lineEndsBefore = lineEnds
  let next = load(0)
  for (const [at, [, , ends]] of members.entries()) {
    const bytes = (await next) as Buffer
    next = load(at + 1)
    const goesOn = take({ bytes, lineEndsBefore, lineEnds: ends })
    freeBuffer(bytes)
    if (!goesOn) break
    lineEndsBefore += ends
  }
  // Its buffer is not to be given away while it is being filled.
  await next?.catch(() => {})
}

async function loadMember(
  { source, damaged }: MemberStream,
  [bytes, stored, , digest]: Member,
  { from, into }: { from: number; into: Buffer },
): Promise<Buffer> {
  const compressed = into.subarray(0, stored)
  const isWhole = (await source.read(compressed, from)) === stored
  if (!isWhole || hash('sha256', compressed, 'base64url') !== digest) {
    throw damaged(new Error('the digest differs'))
  }
  try {
    // A byte more than needed: what has room is not asked for another buffer.
    const chunkSize = Math.max(LEAST_CHUNK, bytes + 1)
    const content = await decompress(compressed, { chunkSize, maxOutputLength: bytes })
    if (content.length !== bytes) throw new Error('the size differs')
    return content
  } catch (error) {
    throw damaged(error)
  }
}
