import { brotliDecompressSync, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { decodeEscapes, ESCAPE_STYLES } from '../../runs/redaction/text-views.ts'

const MAX_DEPTH = 4
const MAX_VIEWS = 300
/** Decoded bytes of one message. */
const MAX_BYTES = 768 * 1024
const MAX_RUNS = 40
/** Longer texts are not joined or reversed. */
const MAX_JOINED = 32 * 1024
const MIN_BASE85 = 40
/** Share of printable characters from which bytes are taken for text. */
const MIN_PRINTABLE = 0.9
const MIN_RUN = 20

const BASE64_RUN = /[A-Za-z0-9+/_-]{20,}={0,2}/g
const HEX_RUN = /(?:[0-9a-f]{2}){12,}/gi
const BASE32_RUN = /[a-z2-7]{24,}/gi
/** Bytes as a list of decimal numbers. */
const DECIMAL_RUN = /\d{1,3}(?:[^\da-z]{1,3}\d{1,3}){15,}/gi
const BASE85 =
  '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz!#$%&()*+-;<=>?@^_`{|}~'
const BASE85_RUN = /[0-9A-Za-z!#$%&()*+;<=>?@^_`{|}~-]{25,}/g
const ASCII85_RUN = /[!-uz]{25,}/g
const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567'

interface DecodingBudget {
  views: number
  bytes: number
}

/**
 * Yields what a text stands for: first itself, then what its encoded parts decode to, then what these
 * decode to, and so on.
 */
export function* decodeLevels(bytes: Buffer): Generator<string[]> {
  const budget: DecodingBudget = { views: MAX_VIEWS, bytes: bytes.length + MAX_BYTES }
  const seen = new Set<string>()
  let level = [bytes]
  for (let depth = 0; depth <= MAX_DEPTH && level.length > 0; depth++) {
    const fresh = level.filter((each) => {
      const text = each.toString('latin1')
      return !seen.has(text) && spend(budget, each.length) && seen.add(text)
    })
    yield fresh.map((each) => each.toString('latin1'))
    level = fresh.flatMap((each) => [
      ...(isMostlyPrintable(each) ? decodeTextParts(each.toString('latin1'), depth) : []),
      ...decompress(each, depth),
    ])
  }
}

function spend(budget: DecodingBudget, bytes: number): boolean {
  budget.views -= 1
  budget.bytes -= bytes
  return budget.views >= 0 && budget.bytes >= 0
}

/** Other bytes than text and compressed data lead to nothing that is worth the time. */
function isMostlyPrintable(bytes: Buffer): boolean {
  const part = bytes.subarray(0, 4096)
  const printable = part.reduce((sum, byte) => sum + (isPrintable(byte) ? 1 : 0), 0)
  return printable >= part.length * MIN_PRINTABLE
}

function isPrintable(byte: number): boolean {
  return (byte >= 0x20 && byte < 0x7f) || byte === 9 || byte === 10 || byte === 13
}

function decodeTextParts(text: string, depth: number): Buffer[] {
  const decoded = [...decodeAllEscapes(text), ...decodeRuns(text, depth), ...joinPieces(text)]
  return decoded.filter(({ length }) => length >= 8)
}

/** Finds compressed data at its magic number, also behind other bytes. */
function decompress(bytes: Buffer, depth: number): Buffer[] {
  const options = { maxOutputLength: MAX_BYTES }
  const found: Buffer[] = []
  const attempt = (decode: () => Buffer) => {
    try {
      found.push(decode())
    } catch {
      // Not compressed in this way.
    }
  }
  const gzip = bytes.indexOf(Buffer.from([0x1f, 0x8b, 0x08]))
  if (gzip !== -1) attempt(() => gunzipSync(bytes.subarray(gzip), options))
  if (bytes[0] === 0x78) attempt(() => inflateSync(bytes, options))
  const zlib = bytes.indexOf(Buffer.from([0x78, 0x9c]))
  if (zlib > 0) attempt(() => inflateSync(bytes.subarray(zlib), options))
  for (const start of listZipEntries(bytes)) {
    attempt(() => inflateRawSync(bytes.subarray(start), options))
  }
  // Neither has a magic number.
  if (found.length === 0 && depth <= 1 && !isMostlyPrintable(bytes)) {
    attempt(() => inflateRawSync(bytes, options))
    attempt(() => brotliDecompressSync(bytes, options))
  }
  return found
}

/** Offsets of the data of deflated entries. */
function listZipEntries(bytes: Buffer): number[] {
  const starts: number[] = []
  for (let at = bytes.indexOf('PK\u0003\u0004', 0, 'latin1'); at !== -1 && starts.length < 50;) {
    if (at + 30 > bytes.length) break
    starts.push(at + 30 + bytes.readUInt16LE(at + 26) + bytes.readUInt16LE(at + 28))
    at = bytes.indexOf('PK\u0003\u0004', at + 4, 'latin1')
  }
  return starts
}

function decodeAllEscapes(text: string): Buffer[] {
  return ESCAPE_STYLES.filter(({ mark }) => text.includes(mark)).map((style) =>
    Buffer.from(decodeEscapes(text, style).text, 'latin1'),
  )
}

function decodeRuns(text: string, depth: number): Buffer[] {
  const found: Buffer[] = []
  for (const source of depth === 0 ? [text, reverse(text)] : [text]) {
    for (const run of listRuns(source, BASE64_RUN)) {
      // Other text, such as the path of a URL, may come right before.
      for (const offset of [0, 1, 2, 3]) found.push(Buffer.from(run.slice(offset), 'base64'))
      const part = run.split('/').find((each) => each.length >= MIN_RUN)
      if (part !== undefined && part !== run) found.push(Buffer.from(part, 'base64'))
    }
    for (const run of listRuns(source, HEX_RUN)) found.push(Buffer.from(run, 'hex'))
  }
  return [...found, ...decodeRareRuns(text)]
}

function decodeRareRuns(text: string): Buffer[] {
  const found: Buffer[] = []
  for (const run of listRuns(text, BASE32_RUN)) found.push(decodeBase32(run.toLowerCase()))
  for (const run of listBase85Runs(text, BASE85_RUN)) {
    found.push(decodeBase85(run, (each) => BASE85.indexOf(each)))
  }
  for (const run of listBase85Runs(text, ASCII85_RUN)) {
    found.push(decodeBase85(run.replaceAll('z', '!!!!!'), (each) => each.charCodeAt(0) - 33))
  }
  for (const run of listRuns(text, DECIMAL_RUN)) {
    found.push(Buffer.from((run.match(/\d+/g) ?? []).map(Number)))
  }
  return found
}

/** A value may be cut by line breaks, by the dots of a name, or by the syntax of a list. */
function joinPieces(text: string): Buffer[] {
  if (text.length > MAX_JOINED) return []
  const joined = [
    text.replace(/\s+/g, ''),
    text.replace(/[^A-Za-z0-9+/=]+/g, ''),
    text.replaceAll('.', ''),
  ]
  return joined.filter((each) => each !== text).map((each) => Buffer.from(each, 'latin1'))
}

function listRuns(text: string, pattern: RegExp): string[] {
  const runs: string[] = []
  for (const [run] of text.matchAll(pattern)) {
    runs.push(run)
    if (runs.length >= MAX_RUNS) break
  }
  return runs
}

/** Runs of letters and digits only are more likely another encoding, or words. */
function listBase85Runs(text: string, pattern: RegExp): string[] {
  return listRuns(text, pattern).filter(
    (run) =>
      run.length >= MIN_BASE85 && (run.match(/[^\w./:=&?-]/g) ?? []).length > run.length / 12,
  )
}

function reverse(text: string): string {
  return text.length > MAX_JOINED ? '' : Array.from(text).toReversed().join('')
}

function decodeBase32(run: string): Buffer {
  const bytes: number[] = []
  let [bits, size] = [0, 0]
  for (const each of run) {
    bits = ((bits << 5) | BASE32.indexOf(each)) & 0xf_ff
    size += 5
    if (size < 8) continue
    size -= 8
    bytes.push((bits >> size) & 0xff)
  }
  return Buffer.from(bytes)
}

function decodeBase85(run: string, getDigit: (character: string) => number): Buffer {
  const bytes: number[] = []
  for (let at = 0; at + 5 <= run.length; at += 5) {
    const number = Array.from(run.slice(at, at + 5)).reduce(
      (sum, each) => sum * 85 + getDigit(each),
      0,
    )
    for (const shift of [24, 16, 8, 0]) bytes.push(Math.floor(number / 2 ** shift) & 0xff)
  }
  return Buffer.from(bytes)
}
