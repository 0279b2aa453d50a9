import { readClientHello, type ClientHello } from '../../../src/core/sandbox/egress/client-hello.ts'
import type { Random } from '../engine/random.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'

function prefix(width: number, content: Buffer): Buffer {
  const head = Buffer.alloc(width)
  head.writeUIntBE(content.length, 0, width)
  return Buffer.concat([head, content])
}

function extension(type: number, content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([type >> 8, type & 255]), prefix(2, content)])
}

function serverName(name: string): Buffer {
  return extension(0, prefix(2, Buffer.concat([Buffer.of(0), prefix(2, Buffer.from(name))])))
}

function hello(...extensions: Buffer[]): Buffer {
  const body = Buffer.concat([
    Buffer.from([3, 3]),
    Buffer.alloc(32, 7),
    prefix(1, Buffer.alloc(0)),
    prefix(2, Buffer.from([0x13, 0x01])),
    prefix(1, Buffer.of(0)),
    prefix(2, Buffer.concat(extensions)),
  ])
  return Buffer.concat([Buffer.of(1), prefix(3, body)])
}

function record(content: Buffer): Buffer {
  return Buffer.concat([Buffer.from([0x16, 3, 1]), prefix(2, content)])
}

const ONE = hello(extension(43, Buffer.from([2, 3, 4])), serverName('a.example'))
const TWO = hello(serverName('a.example'), serverName('b.example'))

/** First bytes of connections that code opens to a destination listed with https. */
export const target: FuzzTarget = {
  name: 'egress-hello',
  format: 'bytes',
  seeds: [
    record(ONE),
    record(TWO),
    record(hello()),
    Buffer.concat([record(ONE.subarray(0, 20)), record(ONE.subarray(20))]),
  ],
  words: [serverName('c.example'), extension(0, Buffer.alloc(0)), Buffer.from([0x16, 3, 1])],
  repair: repairLengths,
  open(isPlanted) {
    const read = isPlanted ? readFirstNameOnly : readClientHello
    return (input) => {
      const result = read(input)
      // The same bytes in two pieces: an earlier look may only ask for more, or reject.
      for (const size of [1, 5, 9, input.length - 1].filter((each) => each < input.length)) {
        const early = read(input.subarray(0, Math.max(0, size)))
        if (early.kind === 'tls') expectEqual(early, result, 'a decision on the first bytes')
        if (early.kind === 'other') expectEqual(result.kind, 'other', 'the kind')
      }
      if (result.kind !== 'tls') return
      expectEqual(result.serverName, findNameSimply(input), 'the server name')
      expectThat((result.serverName?.length ?? 0) < input.length, 'the name is in the message')
    }
  },
}

/** Joins all records, and reads the fields of RFC 8446 one after the other. */
function findNameSimply(bytes: Buffer): string | undefined {
  let rest = bytes
  let message = Buffer.alloc(0)
  while (rest.length >= 5) {
    const size = rest.readUInt16BE(3)
    message = Buffer.concat([message, rest.subarray(5, 5 + size)])
    rest = rest.subarray(5 + size)
  }
  const body = message.subarray(4, 4 + message.readUIntBE(1, 3))
  let at = 34
  const skip = (width: number) => (at += width + body.readUIntBE(at, width))
  for (const width of [1, 2, 1]) skip(width)
  const names: string[] = []
  for (at += 2; at + 4 <= body.length; skip(2)) {
    const type = body.readUInt16BE(at)
    at += 2
    if (type === 0) names.push(body.toString('latin1', at + 7, at + 2 + body.readUInt16BE(at)))
  }
  expectThat(names.length <= 1, 'a message with two server names is refused')
  return names[0]
}

/** Sets the lengths of the first record, of its message and of the extensions. */
function repairLengths(input: Buffer, random: Random): Buffer {
  if (input.length < 60) return input
  const result = Buffer.from(input)
  result.set([0x16, 3, 1], 0)
  result.writeUInt16BE(result.length - 5, 3)
  result[5] = 1
  result.writeUIntBE(result.length - 9, 6, 3)
  if (random.isOneIn(3)) return result
  result.set([0, 0, 2, 0x13, 0x01, 1, 0], 43)
  result.writeUInt16BE(result.length - 52, 50)
  return result
}

/** The planted bug: the first of two names counts. */
function readFirstNameOnly(bytes: Buffer): ClientHello {
  const at = bytes.indexOf('b.example')
  const isSecond = at > bytes.indexOf('a.example') && bytes.includes('a.example')
  return isSecond
    ? { kind: 'tls', protocols: undefined, serverName: 'a.example' }
    : readClientHello(bytes)
}
