/** Tags of the ASN.1 types that certificates contain. */
const TAGS = {
  boolean: 0x01,
  integer: 0x02,
  bitString: 0x03,
  octetString: 0x04,
  objectId: 0x06,
  utf8: 0x0c,
  sequence: 0x30,
  set: 0x31,
  utcTime: 0x17,
} as const

/** Encodes one value of ASN.1 with distinguished encoding rules (DER). */
export function encodeDer(type: keyof typeof TAGS | number, content: Buffer | Buffer[]): Buffer {
  const bytes = Array.isArray(content) ? Buffer.concat(content) : content
  const tag = typeof type === 'number' ? type : TAGS[type]
  return Buffer.concat([Buffer.from([tag]), encodeLength(bytes.length), bytes])
}

/** Wraps a value in a tag that depends on its place, such as `[3]`. */
export function encodeContext(number: number, content: Buffer): Buffer {
  return encodeDer(0xa0 | number, content)
}

export function encodeObjectId(text: string): Buffer {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number)
  return encodeDer(
    'objectId',
    Buffer.from([first * 40 + second, ...rest.flatMap((each) => encodeBase128(each))]),
  )
}

/** Encodes a positive integer from its bytes, most significant first. */
export function encodeInteger(bytes: Buffer): Buffer {
  const isNegative = ((bytes[0] ?? 0) & 0x80) !== 0
  return encodeDer('integer', isNegative ? Buffer.concat([Buffer.from([0]), bytes]) : bytes)
}

/** Encodes whole bytes, or flags with some unused bits at the end. */
export function encodeBitString(bytes: Buffer, unusedBits = 0): Buffer {
  return encodeDer('bitString', Buffer.concat([Buffer.from([unusedBits]), bytes]))
}

/** Encodes a time before the year 2050, in whole seconds. */
export function encodeTime(time: Date): Buffer {
  const digits = time.toISOString().replaceAll(/\.\d+|[-:T]/g, '')
  return encodeDer('utcTime', Buffer.from(digits.slice(2)))
}

function encodeLength(size: number): Buffer {
  if (size < 0x80) return Buffer.from([size])
  if (size < 0x100) return Buffer.from([0x81, size])
  return Buffer.from([0x82, size >> 8, size & 0xff])
}

function encodeBase128(number: number): number[] {
  const groups = [number & 0x7f]
  for (let rest = number >>> 7; rest > 0; rest >>>= 7) groups.unshift(0x80 | (rest & 0x7f))
  return groups
}
