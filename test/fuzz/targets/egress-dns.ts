import {
  encodeAnswer,
  parseQuestion,
  type DnsQuestion,
} from '../../../src/core/sandbox/egress/dns-message.ts'
import type { FuzzTarget } from '../engine/target.ts'
import { expectEqual, expectThat } from './expect.ts'

const QUERY = Buffer.from(
  '1234 0100 0001 0000 0000 0000 03777777 076578616d706c65 03636f6d 00 0001 0001'.replaceAll(
    ' ',
    '',
  ),
  'hex',
)

/** Questions that code in a sandbox sends to the name server. */
export const target: FuzzTarget = {
  name: 'egress-dns',
  format: 'bytes',
  seeds: [QUERY, Buffer.concat([QUERY.subarray(0, -4), Buffer.from([0, 28, 0, 1])])],
  words: [Buffer.from([0, 1, 0, 1]), Buffer.from([0xc0, 12]), Buffer.from([63]), Buffer.from([64])],
  open(isPlanted) {
    const parse = isPlanted ? parseWithoutLabelLimit : parseQuestion
    return (input) => {
      const question = parse(input)
      expectEqual(
        question && { name: question.name, type: question.type, id: question.id },
        readSimply(input),
        'the question',
      )
      if (!question) return
      expectThat(question.name === question.name.toLowerCase(), 'the name is in lower case')
      checkAnswer(question)
    }
  },
}

/** An answer repeats the question's bytes, and its counts describe its length. */
function checkAnswer(question: DnsQuestion): void {
  const address = encodeAnswer(question, { kind: 'address', address: '127.64.0.1' })
  const none = encodeAnswer(question, { kind: 'no-such-name' })
  expectEqual(address.readUInt16BE(0), question.id, 'the id')
  expectThat(address.subarray(12, 12 + question.bytes.length).equals(question.bytes), 'it repeats')
  expectEqual(address.length, 12 + question.bytes.length + 16, 'the length with an address')
  expectEqual(none.length, 12 + question.bytes.length, 'the length without an address')
  expectEqual(none.readUInt16BE(2) & 15, 3, 'the response code')
}

/** The format as RFC 1035 describes it, step by step, for one uncompressed question. */
function readSimply(bytes: Buffer): { name: string; type: number; id: number } | undefined {
  const numbers = [...bytes]
  const take = (count: number) => {
    if (numbers.length < count) throw new RangeError('incomplete')
    return numbers.splice(0, count)
  }
  const takeNumber = () => take(2).reduce((high, low) => high * 256 + low, 0)
  try {
    if (bytes.length > 512) return undefined
    const [id, flags, questions, answers] = [takeNumber(), takeNumber(), takeNumber(), takeNumber()]
    take(4)
    if (flags >> 11 !== 0 || questions !== 1 || answers !== 0) return undefined
    const labels: string[] = []
    for (let [size = 0] = take(1); size > 0; [size = 0] = take(1)) {
      const label = String.fromCharCode(...take(size))
      if (size > 63 || label.includes('.')) return undefined
      labels.push(label)
    }
    const type = takeNumber()
    return takeNumber() === 1 ? { name: labels.join('.').toLowerCase(), type, id } : undefined
  } catch {
    return undefined
  }
}

/** The planted bug: a label of 64 bytes and more, which is the beginning of a pointer. */
function parseWithoutLabelLimit(message: Buffer): DnsQuestion | undefined {
  const size = message[12] ?? 0
  const question = parseQuestion(message)
  if (question || size < 64 || message.length < size + 18) return question
  return { id: 0, name: 'x', type: 1, bytes: message.subarray(12), recursionDesired: false }
}
