/** Opcodes of frames to the guest. */
export const REQUEST = {
  start: 1,
  input: 2,
  endInput: 3,
  resize: 4,
  signal: 5,
  waiting: 6,
  kill: 7,
  credit: 8,
  full: 9,
  room: 10,
} as const

/** Opcodes of frames from the guest. */
export const REPORT = {
  stdout: 1,
  stderr: 2,
  inputCredit: 3,
  waits: 4,
  ended: 5,
  channel: 6,
} as const

const LENGTH_BYTES = 4
const HEADER_BYTES = 9
/** The guest sends a chunk of output, or frames of a cell. */
const MAX_FRAME_BYTES = 4 * 1024 ** 2

interface CommandFrame {
  opcode: number
  /** Number of the command. */
  command: number
  payload: Buffer
}

export function encodeFrame(opcode: number, command: number, payload: Uint8Array): Buffer {
  const frame = Buffer.alloc(HEADER_BYTES + payload.length)
  frame.writeUInt32BE(frame.length - LENGTH_BYTES, 0)
  frame.writeUInt8(opcode, LENGTH_BYTES)
  frame.writeUInt32BE(command, LENGTH_BYTES + 1)
  frame.set(payload, HEADER_BYTES)
  return frame
}

/** Splits a stream of the guest into frames. */
export class CommandFrameReader {
  #pending: Buffer[] = []
  #size = 0

  /** Returns the frames that are complete now; undefined if the stream is not one of frames. */
  push(chunk: Buffer): CommandFrame[] | undefined {
    this.#pending.push(chunk)
    this.#size += chunk.length
    const frames: CommandFrame[] = []
    for (;;) {
      if (this.#size < HEADER_BYTES) return frames
      const data = this.#join()
      const end = LENGTH_BYTES + data.readUInt32BE(0)
      if (end < HEADER_BYTES || end > MAX_FRAME_BYTES) return undefined
      if (data.length < end) return frames
      frames.push({
        opcode: data.readUInt8(LENGTH_BYTES),
        command: data.readUInt32BE(LENGTH_BYTES + 1),
        payload: data.subarray(HEADER_BYTES, end),
      })
      this.#pending = [data.subarray(end)]
      this.#size -= end
    }
  }

  #join(): Buffer {
    const [first] = this.#pending
    if (first && this.#pending.length === 1) return first
    const joined = Buffer.concat(this.#pending)
    this.#pending = [joined]
    return joined
  }
}
