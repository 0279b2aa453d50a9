import { createHash } from 'node:crypto'

const MAGIC = 0xfe_ed_fe_ed
const VERSION = 2
const TRUSTED = 2
/** Programs that check the file take the usual password. */
const PASSWORD = 'changeit'

/** Writes the certificates of a PEM bundle as a JKS key store, since Java reads no bundle. */
export function createJavaTrustStore(bundle: string): Buffer {
  const certificates = [...bundle.matchAll(/-----BEGIN CERTIFICATE-----([^-]+)-----END/g)].map(
    (match) => Buffer.from(match[1] ?? '', 'base64'),
  )
  const entries = certificates.map((der, at) =>
    Buffer.concat([
      encodeUint32(TRUSTED),
      encodeText(`ca${at}`),
      Buffer.alloc(8),
      encodeText('X.509'),
      encodeUint32(der.length),
      der,
    ]),
  )
  const head = Buffer.concat([
    encodeUint32(MAGIC),
    encodeUint32(VERSION),
    encodeUint32(entries.length),
  ])
  const content = Buffer.concat([head, ...entries])
  const digest = createHash('sha1')
    .update(Buffer.from(PASSWORD, 'utf16le').swap16())
    .update('Mighty Aphrodite')
    .update(content)
    .digest()
  return Buffer.concat([content, digest])
}

function encodeUint32(value: number): Buffer {
  const bytes = Buffer.alloc(4)
  bytes.writeUInt32BE(value)
  return bytes
}

function encodeText(text: string): Buffer {
  const bytes = Buffer.from(text)
  const size = Buffer.alloc(2)
  size.writeUInt16BE(bytes.length)
  return Buffer.concat([size, bytes])
}
