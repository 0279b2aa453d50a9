import { brotliCompressSync, deflateRawSync } from 'node:zlib'
import { SECRET_ENCODINGS } from './redact-encodings.ts'

type Encode = (bytes: Buffer) => Buffer | string

const list = (format: (byte: number) => string, between: string) => (bytes: Buffer) =>
  [...bytes].map(format).join(between)
const mix = (key: number) => (bytes: Buffer) => Buffer.from(bytes.map((byte) => byte ^ key))

const MORE: Readonly<Record<string, Encode>> = {
  'the first half': (bytes) => bytes.subarray(0, bytes.length / 2),
  'the second half': (bytes) => bytes.subarray(bytes.length / 2),
  'every byte in 32 bits': (bytes) => Buffer.from(Uint32Array.from(bytes).buffer),
  'every byte in 32 bits, swapped': (bytes) => Buffer.from(Uint32Array.from(bytes).buffer).swap32(),
  'quoted-printable': list((byte) => `=${byte.toString(16).toUpperCase()}`, ''),
  'decimal numbers': list(String, ','),
  'decimal numbers, as JSON is printed': list(String, ', '),
  'binary digits': list((byte) => byte.toString(2).padStart(8, '0'), ''),
  'one decimal number': (bytes) => BigInt(`0x${bytes.toString('hex')}`).toString(),
  rot13: (bytes) =>
    bytes.toString().replace(/[a-z]/gi, (each) => {
      const first = each <= 'Z' ? 65 : 97
      return String.fromCharCode(((each.charCodeAt(0) - first + 13) % 26) + first)
    }),
  'XOR with 0xff': mix(0xff),
  'XOR with 0x20': mix(0x20),
  'XOR with 0x80': mix(0x80),
  'deflate, also in gzip and zlib': (bytes) => deflateRawSync(bytes),
  brotli: (bytes) => brotliCompressSync(bytes),
  'reversed, in hex': (bytes) => Buffer.from(bytes.toReversed()).toString('hex'),
  'reversed, in base64': (bytes) => Buffer.from(bytes.toReversed()).toString('base64'),
}

/** A secret in all encodings that tests search for, by their names. */
export function listSecretForms(secret: string): Map<string, Buffer> {
  const known = SECRET_ENCODINGS.map(
    ({ name, encode }, at) => [`${name} (${at})`, encode(secret).core] as const,
  )
  const more = Object.entries(MORE).map(
    ([name, encode]) => [name, Buffer.from(encode(Buffer.from(secret)) as Buffer)] as const,
  )
  return new Map([...known, ...more])
}
