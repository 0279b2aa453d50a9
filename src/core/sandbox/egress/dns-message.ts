const HEADER_BYTES = 12
const CLASS_IN = 1
/** Short, because an address of this run is meaningless elsewhere. */
const TTL_S = 60

export const TYPE_A = 1

/** A DNS question. */
export interface DnsQuestion {
  id: number
  /** As queried, in lower case. */
  name: string
  type: number
  /** The question's bytes in the message. */
  bytes: Buffer
  recursionDesired: boolean
}

export type DnsAnswer =
  | { kind: 'address'; address: string }
  /** The name exists, but has no record of this type. */
  | { kind: 'empty' }
  | { kind: 'no-such-name' }

const RESPONSE_CODES = { address: 0, empty: 0, 'no-such-name': 3 }

/** Parses a query with one question; undefined for any other message. */
export function parseQuestion(message: Buffer): DnsQuestion | undefined {
  if (message.length < HEADER_BYTES || message.length > 512) return undefined
  const flags = message.readUInt16BE(2)
  const isQuery = (flags & 0xf800) === 0
  if (!isQuery || message.readUInt16BE(4) !== 1 || message.readUInt16BE(6) !== 0) return undefined
  const labels = parseLabels(message)
  if (!labels) return undefined
  const at = labels.end
  if (at + 4 > message.length || message.readUInt16BE(at + 2) !== CLASS_IN) return undefined
  return {
    id: message.readUInt16BE(0),
    name: labels.name,
    type: message.readUInt16BE(at),
    bytes: message.subarray(HEADER_BYTES, at + 4),
    recursionDesired: (flags & 0x0100) !== 0,
  }
}

/** Parses an uncompressed name; undefined for one with a pointer. */
function parseLabels(message: Buffer): { name: string; end: number } | undefined {
  const labels: string[] = []
  let at = HEADER_BYTES
  for (;;) {
    const size = message[at]
    if (size === undefined || size > 63 || at + 1 + size > message.length) return undefined
    if (size === 0) return { name: labels.join('.').toLowerCase(), end: at + 1 }
    const label = message.toString('latin1', at + 1, at + 1 + size)
    // A dot inside a label would change the name.
    if (label.includes('.')) return undefined
    labels.push(label)
    at += 1 + size
  }
}

export function encodeAnswer(question: DnsQuestion, answer: DnsAnswer): Buffer {
  const head = Buffer.alloc(HEADER_BYTES)
  head.writeUInt16BE(question.id, 0)
  head.writeUInt16BE(
    0x8080 | (question.recursionDesired ? 0x0100 : 0) | RESPONSE_CODES[answer.kind],
    2,
  )
  head.writeUInt16BE(1, 4)
  if (answer.kind !== 'address') return Buffer.concat([head, question.bytes])
  head.writeUInt16BE(1, 6)
  const record = Buffer.alloc(16)
  // A pointer to the name in the question.
  record.writeUInt16BE(0xc000 | HEADER_BYTES, 0)
  record.writeUInt16BE(TYPE_A, 2)
  record.writeUInt16BE(CLASS_IN, 4)
  record.writeUInt32BE(TTL_S, 6)
  record.writeUInt16BE(4, 10)
  answer.address.split('.').forEach((part, index) => record.writeUInt8(Number(part), 12 + index))
  return Buffer.concat([head, question.bytes, record])
}
