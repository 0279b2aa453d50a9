import { crc32 } from 'node:zlib'
import {
  BrokenChannelError,
  encodeFrame,
  FrameReader,
  parseFrameObject,
  type Frame,
} from '../../../src/core/runs/protocol/frames.ts'
import type { Random } from '../engine/random.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'

const KEY = Buffer.from('0123456789abcdef')
const HEADER = KEY.length + 9

/** Bytes that a guest writes to the channel of its result. */
export const target: FuzzTarget = {
  name: 'channel-frames',
  format: 'bytes',
  seeds: [
    encodeFrame(KEY, 'R', Buffer.from('{"output":"1"}')),
    Buffer.concat([
      encodeFrame(KEY, 'B', Buffer.from('{"number":0,"kind":"text/plain"}')),
      encodeFrame(KEY, 'C', Buffer.from([0, 0, 0, 0, 65])),
      encodeFrame(KEY, 'E', Buffer.alloc(4)),
    ]),
  ],
  words: [KEY, encodeFrame(KEY, 'L', Buffer.from('{"level":"info","text":"a"}'))],
  repair: repairChecksums,
  open: (isPlanted) => (input) => {
    const whole = readAll([input], isPlanted)
    expectEqual(readAll(cut(input), false), readAll([input], false), 'frames of two chunks')
    // Frames are written back to the bytes that they came from.
    const written = Buffer.concat(
      whole.frames.map(({ opcode, content }) => encodeFrame(KEY, opcode, content)),
    )
    expectThat(input.subarray(0, written.length).equals(written), 'frames equal the input')
    for (const frame of whole.frames) parseObject(frame)
  },
}

interface ReadFrames {
  frames: Frame[]
  isBroken: boolean
}

function readAll(chunks: readonly Buffer[], isPlanted: boolean): ReadFrames {
  const reader = new FrameReader(KEY)
  const frames: Frame[] = []
  try {
    for (const chunk of chunks) {
      for (const { opcode, content } of reader.read(chunk))
        frames.push({ opcode, content: Buffer.from(content) })
    }
    return { frames, isBroken: false }
  } catch (error) {
    if (!(error instanceof BrokenChannelError)) throw error
    // The planted bug: a frame with a wrong checksum is accepted if it is short.
    const size = chunks[0]?.length ?? 0
    if (isPlanted && size > HEADER && size < HEADER + 24)
      frames.push({ opcode: 'R', content: Buffer.from('1') })
    return { frames, isBroken: true }
  }
}

function cut(input: Buffer): Buffer[] {
  const at = crc32(input) % (input.length + 1)
  return [input.subarray(0, at), input.subarray(at)]
}

function parseObject(frame: Frame): void {
  try {
    expectThat(!Array.isArray(parseFrameObject(frame)), 'the content is an object')
  } catch (error) {
    if (!(error instanceof BrokenChannelError || error instanceof SyntaxError)) throw error
  }
}

/** Sets keys, lengths and checksums; the length of the last frame is that of the rest. */
function repairChecksums(input: Buffer, random: Random): Buffer {
  const frames: Buffer[] = []
  for (let at = 0; at < input.length;) {
    const stated = input.length >= at + HEADER ? input.readUInt32BE(at + KEY.length + 1) : 0
    const size = Math.min(stated, input.length - at)
    const content = input.subarray(at + HEADER, at + HEADER + size)
    const opcode = random.isOneIn(3) ? random.pick([...'BCEAGPRL']) : undefined
    const written = String.fromCharCode(input[at + KEY.length] ?? 0x52)
    frames.push(encodeFrame(KEY, opcode ?? written, content))
    at += HEADER + size
  }
  return Buffer.concat(frames)
}
