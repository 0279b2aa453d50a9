import { isText, detectMimeType } from '../../../util/mime.ts'

const MAGIC: readonly (readonly [string, string])[] = [
  ['89504e470d0a1a0a', 'image/png'],
  ['ffd8ff', 'image/jpeg'],
  ['47494638', 'image/gif'],
  ['25504446', 'application/pdf'],
  ['504b0304', 'application/zip'],
  ['1f8b', 'application/gzip'],
]
const TEXTS = /^(?:text\/|application\/(?:json|toml|yaml|xml)$)|\+(?:json|xml)$/

/** Detects the MIME type by content, else by name; binary content never gets a text type. */
export function sniffMimeType(name: string, head: Uint8Array): string {
  const start = Buffer.from(head.subarray(0, 8)).toString('hex')
  const signature = MAGIC.find(([magic]) => start.startsWith(magic))
  if (signature) return signature[1]
  const detected = detectMimeType(name, head)
  return TEXTS.test(detected) && !isText(dropPartialCharacter(head))
    ? 'application/octet-stream'
    : detected
}

/** Decodes text for a result; undefined if the type or the content is not text. */
export function decodeText(mime: string, bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return ''
  const complete = dropPartialCharacter(bytes)
  return TEXTS.test(mime) && isText(complete) ? Buffer.from(complete).toString('utf8') : undefined
}

/** Drops an incomplete UTF-8 sequence at the end. */
export function dropPartialCharacter(bytes: Uint8Array): Uint8Array {
  for (let distance = 1; distance <= Math.min(3, bytes.length); distance++) {
    const byte = bytes[bytes.length - distance] as number
    if ((byte & 0xc0) === 0x80) continue
    const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : byte >= 0xc0 ? 2 : 1
    return length > distance ? bytes.subarray(0, bytes.length - distance) : bytes
  }
  return bytes
}
