import { crc32 } from 'node:zlib'
import { ByteQueue } from '../../../util/bytes/byte-queue.ts'

export const KEY_BYTES = 16
const HEADER_BYTES = KEY_BYTES + 1 + 4 + 4
/** The harness never sends longer frames. */
const MAX_CONTENT = 1024 ** 2

/** One message of the harness: a blob, a read request, a log line or the result. */
export interface Frame {
  opcode: string
  content: Buffer
}

/** The channel delivered bytes that are not a frame of this run, so messages may be lost. */
export class BrokenChannelError extends Error {
  constructor() {
    super('Something other than the runtime wrote to the result channel')
  }
}

/**
 * Parses the frames of the harness. User code shares its process and may write to the channel, by
 * accident or on purpose. Bytes without the key of the run or with a wrong checksum end the run.
 */
export class FrameReader {
  #pending = new ByteQueue()
  #key: Buffer

  constructor(key: Buffer) {
    this.#key = key
  }

  /** Yields the frames that this chunk completes, in order. Throws at the first invalid frame. */
  *read(chunk: Buffer): Generator<Frame, void, void> {
    const pending = this.#pending
    pending.push(chunk)
    for (;;) {
      const head = pending.peek(HEADER_BYTES)
      const size = readFirstSize(head, this.#key)
      if (size === undefined || pending.length < HEADER_BYTES + size) return
      pending.shift(HEADER_BYTES)
      const content = pending.shift(size)
      if (crc32(content) !== head.readUInt32BE(KEY_BYTES + 5)) throw new BrokenChannelError()
      yield { opcode: String.fromCharCode(head[KEY_BYTES] as number), content }
    }
  }
}

/** Returns the content length of the first frame, once its header is complete. */
function readFirstSize(bytes: Buffer, key: Buffer): number | undefined {
  const received = Math.min(bytes.length, KEY_BYTES)
  if (!bytes.subarray(0, received).equals(key.subarray(0, received))) throw new BrokenChannelError()
  if (bytes.length < HEADER_BYTES) return undefined
  const size = bytes.readUInt32BE(KEY_BYTES + 1)
  if (size > MAX_CONTENT) throw new BrokenChannelError()
  return size
}

/** Parses the content of a frame as a JSON object. */
export function parseFrameObject({ content }: Pick<Frame, 'content'>): Record<string, unknown> {
  const value = JSON.parse(content.toString('utf8')) as unknown
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BrokenChannelError()
  return value as Record<string, unknown>
}

/** Encodes a frame for the harness. */
export function encodeFrame(key: Buffer, kind: string, content: Uint8Array): Buffer {
  const head = Buffer.alloc(HEADER_BYTES)
  key.copy(head)
  head.write(kind, KEY_BYTES, 'latin1')
  head.writeUInt32BE(content.length, KEY_BYTES + 1)
  head.writeUInt32BE(crc32(content), KEY_BYTES + 5)
  return Buffer.concat([head, content])
}
