import { crc32 } from 'node:zlib'
import { ByteQueue } from '../../../util/byte-queue.ts'

export const KEY_BYTES = 16
const HEADER_BYTES = KEY_BYTES + 1 + 4 + 4
/** Longer frames are never sent by the harness. */
const MAX_CONTENT = 1024 ** 2

/** One message of the harness: blobs, questions, log lines, the result. */
export interface Frame {
  opcode: string
  content: Buffer
}

/** Something that is no frame of this run came by its channel: what is missing cannot be known. */
export class BrokenChannelError extends Error {
  constructor() {
    super('Something else than the runtime wrote to the channel of the result')
  }
}

/**
 * Takes the harness's frames from what comes by the channel. User code shares the harness's process and may
 * write there by accident or on purpose: what lacks the run's key or fails its checksum ends the run.
 */
export class FrameReader {
  #pending = new ByteQueue()
  #key: Buffer

  constructor(key: Buffer) {
    this.#key = key
  }

  /** The frames that this piece makes whole, in their order; throws where the first wrong one is reached. */
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

/** The length of the first frame's content, as soon as its head is there. */
function readFirstSize(bytes: Buffer, key: Buffer): number | undefined {
  const known = Math.min(bytes.length, KEY_BYTES)
  if (!bytes.subarray(0, known).equals(key.subarray(0, known))) throw new BrokenChannelError()
  if (bytes.length < HEADER_BYTES) return undefined
  const size = bytes.readUInt32BE(KEY_BYTES + 1)
  if (size > MAX_CONTENT) throw new BrokenChannelError()
  return size
}

/** The content of a frame that is an object in JSON. */
export function parseFrameObject({ content }: Pick<Frame, 'content'>): Record<string, unknown> {
  const value = JSON.parse(content.toString('utf8')) as unknown
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new BrokenChannelError()
  return value as Record<string, unknown>
}

/** A frame of ours, as the harness reads it. */
export function encodeFrame(key: Buffer, kind: string, content: Uint8Array): Buffer {
  const head = Buffer.alloc(HEADER_BYTES)
  key.copy(head)
  head.write(kind, KEY_BYTES, 'latin1')
  head.writeUInt32BE(content.length, KEY_BYTES + 1)
  head.writeUInt32BE(crc32(content), KEY_BYTES + 5)
  return Buffer.concat([head, content])
}
