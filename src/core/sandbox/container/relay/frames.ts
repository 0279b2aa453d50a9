/** Opcodes of frames between the host and the guest's relay (`src/guest/relay.py`). */
export const OPCODES = {
  data: 1,
  /** Grants the other side this many more bytes on a stream. */
  credit: 2,
  /** No more data follows in this direction. */
  end: 3,
  /** The stream is over in both directions. */
  reset: 4,
  /** A process of the sandbox connected to a listening socket. */
  open: 5,
  datagram: 6,
  /** Requests the counters of the sandbox's control group. */
  watch: 7,
  status: 8,
  /** A socket or an address could not be bound. */
  unbound: 9,
  /** The returned files follow, which are not frames. */
  files: 10,
  /** The last frame of all streams. The guest exits only after the host has answered with the same. */
  done: 11,
} as const

/** Numbers of the streams that every run has. */
export const STREAMS = { control: 1, channel: 2, stdout: 3, stderr: 4, stdin: 5 } as const
/** Number of the first connection. */
export const FIRST_CONNECTION = 16
/** First bytes of the relay. */
export const HELLO = Buffer.from('skills-relay-1\n')

const HEADER_BYTES = 9
const MAX_CONTENT = 1024 ** 2

export interface RelayFrame {
  opcode: number
  stream: number
  content: Buffer
}

export function encodeRelayFrame(opcode: number, stream: number, content: Buffer): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + content.length)
  frame.writeUInt8(opcode, 0)
  frame.writeUInt32BE(stream, 1)
  frame.writeUInt32BE(content.length, 5)
  content.copy(frame, HEADER_BYTES)
  return frame
}

/** Splits a stream of bytes into frames, after the relay's first bytes. */
export class RelayFrameReader {
  #chunks: Buffer[] = []
  #size = 0
  /** Bytes that complete the next frame. */
  #needed = HELLO.length
  hasGreeted = false

  /** Throws if the bytes are not frames. */
  read(chunk: Buffer): RelayFrame[] {
    this.#chunks.push(chunk)
    this.#size += chunk.length
    if (this.#size < this.#needed) return []
    let bytes = Buffer.concat(this.#chunks)
    if (!this.hasGreeted) {
      if (!bytes.subarray(0, HELLO.length).equals(HELLO)) throw new Error('no relay')
      this.hasGreeted = true
      bytes = bytes.subarray(HELLO.length)
    }
    const frames: RelayFrame[] = []
    let at = 0
    for (;;) {
      this.#needed = HEADER_BYTES
      if (bytes.length - at < HEADER_BYTES) break
      const size = bytes.readUInt32BE(at + 5)
      if (size > MAX_CONTENT) throw new Error('a frame is too long')
      this.#needed = HEADER_BYTES + size
      if (bytes.length - at < this.#needed) break
      const content = bytes.subarray(at + HEADER_BYTES, at + this.#needed)
      const opcode = bytes.readUInt8(at)
      frames.push({ opcode, stream: bytes.readUInt32BE(at + 1), content })
      at += this.#needed
      if (opcode === OPCODES.files) break
    }
    const rest = bytes.subarray(at)
    this.#chunks = [rest]
    this.#size = rest.length
    return frames
  }

  /** Returns the bytes after the last frame. */
  takeRest(): Buffer {
    this.#size = 0
    return Buffer.concat(this.#chunks.splice(0))
  }
}
