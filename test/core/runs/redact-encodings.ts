import { gzipSync } from 'node:zlib'

/** An encoding in which code may print a secret. */
export interface SecretEncoding {
  /** As in the table of docs/running.md. */
  name: string
  isHeld: boolean
  /** The secret within its surroundings, and the piece of the output that must not appear. */
  encode(secret: string): { output: Buffer; core: Buffer }
}

type Encode = (secret: string) => string | Buffer

const escapeEach =
  (format: (code: number) => string): Encode =>
  (secret) =>
    [...secret].map((each) => format(each.codePointAt(0) ?? 0)).join('')
const toHex = (code: number, digits: number) => code.toString(16).padStart(digits, '0')
const formatPercent = (code: number) => `%${toHex(code, 2)}`
const alternate =
  (first: Encode, second: Encode): Encode =>
  (secret) =>
    [...secret]
      .map((each, at) => String((at % 2 === 0 && !/[%\\]/.test(each) ? first : second)(each)))
      .join('')
const plain: Encode = (secret) => secret
const hex = (secret: string) => Buffer.from(secret).toString('hex')
const splitAt = (between: string) => (secret: string) =>
  `${secret.slice(0, secret.length / 2)}${between}${secret.slice(secret.length / 2)}`
const separateHex = (between: string) => (secret: string) =>
  (hex(secret).match(/../g) ?? []).join(between)
const swapCase: Encode = (secret) =>
  [...secret]
    .map((each) => (each === each.toLowerCase() ? each.toUpperCase() : each.toLowerCase()))
    .join('')
const HTML_NAMES: Readonly<Record<string, string>> = {
  '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": 'apos', '/': 'sol', '(': 'lpar', ')': 'rpar',
  '$': 'dollar', '#': 'num', '%': 'percnt', '+': 'plus', '=': 'equals', '.': 'period', ':': 'colon',
  ';': 'semi', '@': 'commat', '!': 'excl', '?': 'quest', '*': 'ast', ',': 'comma', '_': 'lowbar',
} // prettier-ignore
const BASE32 = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'

function toBase32(bytes: Buffer): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('')
  return (bits.match(/.{1,5}/g) ?? [])
    .map((each) => BASE32[Number.parseInt(each.padEnd(5, '0'), 2)])
    .join('')
}

/** The secret alone is encoded. */
function alone(
  name: string,
  encode: Encode,
  { isHeld = true, edges = [0, 0] as readonly [number, number] } = {},
): SecretEncoding {
  return {
    name,
    isHeld,
    encode: (secret) => {
      const encoded = Buffer.from(encode(secret))
      // Characters at the edges belong to other bytes as well.
      const core = encoded.subarray(edges[0], encoded.length - edges[1])
      return {
        output: Buffer.concat([Buffer.from('before '), encoded, Buffer.from(' after')]),
        core,
      }
    },
  }
}

/** The secret is encoded with the text around it. */
function within(
  name: string,
  encode: (bytes: Buffer) => string,
  { offsets, edge }: { offsets: readonly number[]; edge: number },
): SecretEncoding[] {
  return offsets.map((offset) => ({
    name,
    isHeld: true,
    encode: (secret) => {
      const all = encode(Buffer.from(`${'x'.repeat(offset)}${secret}, and more`))
      const bytes = Buffer.from(secret).length
      const perByte = encode(Buffer.alloc(300)).replaceAll('\n', '').length / 300
      const start = Math.ceil(offset * perByte) + edge
      const core = all.slice(start, Math.floor((offset + bytes) * perByte) - edge)
      return { output: Buffer.from(all), core: Buffer.from(core) }
    },
  }))
}

const base64 = (bytes: Buffer) => bytes.toString('base64')
const base64Url = (bytes: Buffer) => bytes.toString('base64url')

export const SECRET_ENCODINGS: readonly SecretEncoding[] = [
  alone('plain', plain),
  alone('other case', (secret) => secret.toUpperCase()),
  alone('other case', (secret) => secret.toLowerCase()),
  alone('other case', swapCase),
  alone('reversed', (secret) => [...secret].toReversed().join('')),
  alone('split over two lines', splitAt('\n')),
  alone('split over two lines', splitAt('\r\n')),
  ...['\u001b[0m', '\u001b[38;5;1m\u001b[K', '\u001b]0;a title\u0007', '\u009b1m', '\u001b(B'].map(
    (each) => alone('with control sequences of terminals in it', splitAt(each)),
  ),
  ...['\u0000', '\b', '\r', '\u007f\u0085'].map((each) =>
    alone('with control characters in it', splitAt(each)),
  ),
  ...['\u200b', '\u00ad', '\ufeff', '\u2060\u200d', '\u{e0041}', '\ufe0f'].map((each) =>
    alone('with characters without a width in it', splitAt(each)),
  ),
  alone('with control sequences of terminals in it', (secret) => [...secret].join('\u001b[1m')),
  alone('UTF-16', (secret) => Buffer.from(secret, 'utf16le')),
  alone('UTF-16', (secret) => Buffer.from(secret, 'utf16le').swap16()),
  alone('percent-encoding', encodeURIComponent),
  alone('percent-encoding', escapeEach(formatPercent)),
  alone(
    'percent-encoding',
    escapeEach((code) => formatPercent(code).toUpperCase()),
  ),
  alone('percent-encoding', alternate(plain, escapeEach(formatPercent))),
  alone('percent-encoding', (secret) => encodeURIComponent(secret).replaceAll('%20', '+')),
  alone(
    '`\\x`, `\\u`, `\\U` and octal escapes',
    escapeEach((code) => `\\x${toHex(code, 2)}`),
  ),
  alone(
    '`\\x`, `\\u`, `\\U` and octal escapes',
    escapeEach((code) => `\\X${toHex(code, 2)}`.replace('X', 'x').toLowerCase()),
  ),
  alone(
    '`\\x`, `\\u`, `\\U` and octal escapes',
    escapeEach((code) => `\\u${toHex(code, 4)}`),
  ),
  alone(
    '`\\x`, `\\u`, `\\U` and octal escapes',
    escapeEach((code) => `\\u{${toHex(code, 1)}}`),
  ),
  alone(
    '`\\x`, `\\u`, `\\U` and octal escapes',
    escapeEach((code) => `\\U${toHex(code, 8).toUpperCase()}`),
  ),
  alone(
    '`\\x`, `\\u`, `\\U` and octal escapes',
    escapeEach((code) => `\\${code.toString(8).padStart(3, '0')}`),
  ),
  alone(
    '`\\x`, `\\u`, `\\U` and octal escapes',
    alternate(
      plain,
      escapeEach((code) => `\\x${toHex(code, 2)}`),
    ),
  ),
  alone(
    'HTML',
    escapeEach((code) => `&#${code};`),
  ),
  alone(
    'HTML',
    escapeEach((code) => `&#x${toHex(code, 4).toUpperCase()};`),
  ),
  alone('HTML', (secret) =>
    secret.replace(/[^A-Za-z0-9]/g, (each) => (HTML_NAMES[each] ? `&${HTML_NAMES[each]};` : each)),
  ),
  alone('JSON', (secret) => JSON.stringify(secret).slice(1, -1)),
  alone('Python', (secret) => secret.replaceAll('\\', '\\\\').replaceAll("'", "\\'")),
  alone('shell', (secret) => secret.replaceAll("'", `'\\''`)),
  alone('shell', (secret) => secret.replace(/[^A-Za-z0-9]/g, '\\$&')),
  alone('base64', (secret) => base64(Buffer.from(secret))),
  ...within('base64', base64, { offsets: [0, 1, 2, 7], edge: 2 }),
  ...within('base64 of URLs', base64Url, { offsets: [0, 1, 2], edge: 2 }),
  alone('base64, in lines', (secret) => splitAt('\n')(base64(Buffer.from(secret)))),
  alone('base64 of base64', (secret) => base64(Buffer.from(base64(Buffer.from(secret)))), {
    edges: [0, 8],
  }),
  alone(
    'base64 of base64',
    (secret) => base64Url(Buffer.from(`x${base64Url(Buffer.from(`y${secret}`))}`)),
    { edges: [8, 8] },
  ),
  alone('base32', (secret) => toBase32(Buffer.from(secret)), { edges: [0, 2] }),
  ...within('base32', toBase32, { offsets: [0, 1, 2, 3, 4], edge: 2 }),
  alone('base32', (secret) => toBase32(Buffer.from(secret)).toLowerCase(), { edges: [0, 2] }),
  alone('hex', hex),
  alone('hex', (secret) => hex(secret).toUpperCase()),
  ...[':', ' ', '-', ', ', ' 0x'].map((between) => alone('hex, separated', separateHex(between))),
  alone('hex, in lines', (secret) => splitAt('\n')(hex(secret))),
  alone('characters with spaces between them', (secret) => [...secret].join(' '), {
    isHeld: false,
  }),
  alone(
    'percent-encoding twice',
    (secret) => escapeEach(formatPercent)(String(escapeEach(formatPercent)(secret))),
    { isHeld: false },
  ),
  alone(
    'base64 three times',
    (secret) => base64(Buffer.from(base64(Buffer.from(base64(Buffer.from(secret)))))),
    { isHeld: false },
  ),
  alone('compressed', (secret) => gzipSync(secret).toString('base64'), { isHeld: false }),
  alone(
    'encrypted, such as rot13',
    escapeEach((code) => String.fromCharCode(code ^ 1)),
    { isHeld: false },
  ),
  alone(
    'a hex dump with offsets',
    (secret) =>
      (hex(secret).match(/.{1,8}/g) ?? []).map((each, at) => `0000${at}: ${each}`).join('\n'),
    { isHeld: false },
  ),
]
