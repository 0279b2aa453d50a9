import { PassThrough, Writable } from 'node:stream'
import {
  encodeRelayFrame,
  HELLO,
  OPCODES,
  STREAMS,
} from '../../../src/core/sandbox/container/relay/frames.ts'
import { GuestRelay } from '../../../src/core/sandbox/container/relay/guest-relay.ts'
import type { Random } from '../engine/random.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectThat } from './expect.ts'

const frame = (opcode: number, stream: number, content: Buffer | string = '') =>
  encodeRelayFrame(opcode, stream, Buffer.from(content as string))
const OPEN = Buffer.from([0, 127, 0, 0, 1])
const FRAMES = [
  frame(OPCODES.data, STREAMS.stdout, 'hello'),
  frame(OPCODES.credit, STREAMS.stdin, Buffer.from([0, 0, 16, 0])),
  frame(OPCODES.open, 16, OPEN),
  frame(OPCODES.data, 16, 'GET / HTTP/1.1\r\n\r\n'),
  frame(OPCODES.end, 16),
  frame(OPCODES.datagram, 0, Buffer.from([1, 127, 0, 0, 1, 0, 53, 1, 2, 3])),
  frame(OPCODES.status, 0, 'memory 12'),
  frame(OPCODES.unbound, 0, '127.0.0.1:80'),
  frame(OPCODES.reset, STREAMS.stdout),
  frame(OPCODES.done, 0),
]

/** Frames of a container's relay, which code of the run may have taken over. */
export const target: FuzzTarget = {
  name: 'relay-frames',
  format: 'bytes',
  seeds: [Buffer.concat([HELLO, ...FRAMES]), ...FRAMES.map((each) => Buffer.concat([HELLO, each]))],
  words: FRAMES,
  repair: repairFrames,
  open: (isPlanted) => async (input) => {
    const relayed = await relay(input)
    // The planted bug: bytes of closed streams are kept.
    const bytes = relayed.bytes + (isPlanted && relayed.isViolated ? 1e9 : 0)
    expectThat(bytes <= input.length, 'no stream has more bytes than arrived')
    expectThat(relayed.connections <= 200, 'connections are bounded')
    const isHello = input.subarray(0, HELLO.length).equals(HELLO.subarray(0, input.length))
    expectThat(isHello || relayed.isViolated || input.length < HELLO.length, 'a greeting is needed')
  },
}

async function relay(input: Buffer) {
  const fromGuest = new PassThrough()
  const toGuest = new Writable({ write: (_chunk, _encoding, done) => done() })
  const result = { bytes: 0, connections: 0, isViolated: false }
  const guest = new GuestRelay(fromGuest, toGuest, {
    network: {
      listeners: [
        { kind: 'proxy', port: 3128 },
        { kind: 'names', port: 53 },
      ],
      addresses: [],
      serve: (_listener: unknown, socket: NodeJS.EventEmitter) =>
        void socket.on('connection', (stream: NodeJS.ReadableStream) => {
          result.connections += 1
          stream.on('data', (chunk: Buffer) => (result.bytes += chunk.length))
        }),
      reportUnbound: () => {},
    } as never,
    onStatus: (status) => expectThat(typeof status === 'string', 'a status is text'),
    onViolation: () => (result.isViolated = true),
  })
  for (const stream of [guest.control, guest.channel, guest.stdout, guest.stderr])
    stream.on('data', (chunk: Buffer) => (result.bytes += chunk.length))
  guest.stdin.write(Buffer.alloc(100_000))
  const half = input.length >> 1
  fromGuest.write(input.subarray(0, half))
  fromGuest.end(input.subarray(half))
  await new Promise((resolve) => setImmediate(resolve))
  await new Promise((resolve) => setImmediate(resolve))
  return result
}

/** Sets the greeting, and makes the length of each frame fit. */
function repairFrames(input: Buffer, random: Random): Buffer {
  const parts: Buffer[] = [HELLO]
  const start = input.subarray(0, HELLO.length).equals(HELLO) ? HELLO.length : 0
  for (let at = start; at + 9 <= input.length && parts.length < 500;) {
    const size = Math.min(input.readUInt32BE(at + 5), input.length - at - 9)
    const opcode = random.isOneIn(8) ? 1 + random.below(11) : (input[at] as number)
    const content = input.subarray(at + 9, at + 9 + size)
    parts.push(encodeRelayFrame(opcode, input.readUInt32BE(at + 1), content))
    at += 9 + size
  }
  return Buffer.concat(parts)
}
