import type { Span } from '../../skills/manifest/source.ts'

export interface DecodedText extends Span {
  text: string
  encoding: string
}

/** Limits that keep a hostile file from costing more than it is worth. */
const MAX_DECODED = 100
const MAX_LENGTH = 20_000

/** Texts that stand encoded in a text: base64, hex, percent, escapes, tags, zero-width bits, rot13. */
export function decodeTexts(source: string): DecodedText[] {
  const found: DecodedText[] = []
  for (const { pattern, encoding, decode, isLikely } of ENCODINGS) {
    if (isLikely && !isLikely.test(source)) continue
    for (const match of source.matchAll(pattern)) {
      if (found.length >= MAX_DECODED) return found
      const text = decode(match[0].slice(0, MAX_LENGTH))
      if (text === undefined || !isReadable(text)) continue
      found.push({
        text,
        encoding,
        start: match.index,
        end: match.index + match[0].length,
      })
    }
  }
  return found
}

interface TextEncoding {
  encoding: string
  pattern: RegExp
  /** Sign without which the pattern is not searched. */
  isLikely?: RegExp
  decode: (text: string) => string | undefined
}

const ENCODINGS: readonly TextEncoding[] = [
  {
    encoding: 'Unicode tags',
    pattern: /[\u{E0001}-\u{E007F}]{4,}/gu,
    isLikely: /\uDB40/,
    decode: (text) =>
      String.fromCodePoint(
        ...[...text].map((each) => (each.codePointAt(0) ?? 0) - 0xe0000).filter((c) => c >= 10),
      ),
  },
  {
    encoding: 'variation selectors',
    pattern: /[\uFE00-\uFE0F\u{E0100}-\u{E01EF}]{8,}/gu,
    isLikely: /[\uFE00-\uFE0F]{2}|\uDB40/,
    decode: (text) => toUtf8([...text].map(readSelector)),
  },
  {
    encoding: 'zero-width characters',
    pattern: /[\u200B-\u200D\u2060\uFEFF]{32,}/g,
    isLikely: /[\u200B-\u200D\u2060]{8}/,
    decode: decodeZeroWidth,
  },
  {
    encoding: 'base64 or hex',
    pattern: /(?<![\w+/=-])[A-Za-z0-9+/_-]{20,}={0,2}(?![\w+/=])/g,
    decode: (text) =>
      /^(?:0x)?(?:[0-9a-fA-F]{2})+$/.test(text) ? decodeHex(text) : decodeBase64Text(text),
  },
  {
    encoding: 'base32',
    pattern: /(?<![\w=])[A-Z2-7]{24,}={0,6}(?![\w=])/g,
    isLikely: /base32|b32/i,
    decode: decodeBase32,
  },
  {
    encoding: 'hex with blanks',
    pattern: /\b(?:[0-9a-fA-F]{2}[ :]){15,}[0-9a-fA-F]{2}\b/g,
    isLikely: /\b[0-9a-fA-F]{2}[ :][0-9a-fA-F]{2}[ :][0-9a-fA-F]{2}[ :][0-9a-fA-F]{2}[ :]/,
    decode: decodeHex,
  },
  {
    encoding: 'escapes',
    pattern: /(?:\\x[0-9a-fA-F]{2}|\\u\{?[0-9a-fA-F]{4}\}?|\\[0-3][0-7]{2}){6,}/g,
    isLikely: /\\[xu0-3]/,
    decode: (text) =>
      text.replace(/\\x(..)|\\u\{?(.{4})\}?|\\([0-3][0-7]{2})/g, (...found: string[]) =>
        String.fromCharCode(
          found[3] ? Number.parseInt(found[3], 8) : Number.parseInt(found[1] ?? found[2] ?? '', 16),
        ),
      ),
  },
  {
    encoding: 'percent signs',
    pattern: /(?:[\w.~-]{0,40}%[0-9a-fA-F]{2}){6,}[\w.~-]{0,40}/g,
    isLikely: /%[0-9a-fA-F]{2}/,
    decode: (text) => {
      try {
        return decodeURIComponent(text)
      } catch {
        return undefined
      }
    },
  },
  {
    encoding: 'HTML entities',
    pattern:
      /(?:&#(?:x[0-9a-fA-F]{1,5}|\d{1,6});){6,}|(?:[^\n<&]{0,30}&#(?:x[0-9a-fA-F]{2}|\d{2,3});){4,}[^\n<&]{0,60}/g,
    isLikely: /&#/,
    decode: (text) =>
      text.replace(/&#(?:x([0-9a-fA-F]+)|(\d+));/g, (_, hex, digits) =>
        String.fromCharCode(hex ? Number.parseInt(hex, 16) : Number(digits)),
      ),
  },
  {
    encoding: 'a list of character codes',
    pattern: /(?:\b\d{2,3}\s{0,2}[,\s]\s{0,4}){11,}\d{2,3}\b/g,
    isLikely: /\b1[01]\d\s{0,2}[,\s]\s{0,4}\d{2,3}\s{0,2}[,\s]\s{0,4}\d{2,3}[,\s]/,
    decode: (text) => toWords(toUtf8(text.split(/[,\s]+/).map(Number))),
  },
  {
    encoding: 'pieces of hex digits',
    pattern:
      /(?:["']?#?\b(?:[0-9a-fA-F]{2}){2,8}["']?[\s,]{1,12}){3,}["']?#?(?:[0-9a-fA-F]{2}){1,8}\b|(?:["'](?:[0-9a-fA-F]{2}){6,60}["']\s{1,30}){1,20}["'](?:[0-9a-fA-F]{2}){1,60}["']/g,
    isLikely:
      /["'](?:[2-7][0-9a-fA-F]){6,60}["']\s{1,30}["'](?:[2-7][0-9a-fA-F])|\b(?:[2-7][0-9a-fA-F]){3,8}["']?[\s,]{1,12}["']?#?(?:[2-7][0-9a-fA-F]){2,8}\b/,
    decode: (text) => toWords(decodeHex(text.replace(/[^0-9a-fA-F]/g, ''))),
  },
  {
    encoding: 'pieces of base64',
    pattern:
      /(?:["'][A-Za-z0-9+/]{4,80}={0,2}["']\s*[,+]\s*){3,}["'][A-Za-z0-9+/]{2,80}={0,2}["']|(?:["'][A-Za-z0-9+/]{8,80}["']\s*\+\s*){1,3}["'][A-Za-z0-9+/]{4,80}={0,2}["']/g,
    isLikely: /["'](?:[A-Za-z0-9+/]{4})+["']\s*[,+]\s*["'](?:[A-Za-z0-9+/]{4})+["']/,
    decode: (text) => toWords(toUtf8(Buffer.from(text.replace(/[^A-Za-z0-9+/]/g, ''), 'base64'))),
  },
  {
    encoding: 'reversed letters',
    pattern: /(?<=["'`>:|-]\s{0,3})[^"'`\n]{16,400}(?=["'`\n])/g,
    isLikely: /\/\/:s?ptth|\b(?:eht|dna|lruc|hsab|tegw|ruoy|ton od|drowssap)\b/,
    decode: (text) => toWords([...text].toReversed().join('')),
  },
  {
    encoding: 'rot13',
    pattern: /[A-Za-z][A-Za-z ~/.,:;'"!?_-]{19,400}/g,
    isLikely:
      /rot[_-]?13|thirteen|\b(?:gur|naq|jvgubhg|jvgu|sebz|hfre|gung)\b[^\n]{0,200}\b(?:gur|naq|jvgubhg|jvgu|sebz|hfre|gung)\b/i,
    decode: rotate,
  },
]

/** The text, if it has words of English or of a shell: no chance makes several of them. */
function toWords(text: string | undefined): string | undefined {
  const words = text?.match(
    /\b(?:the|and|to|of|run|do|not|for|you|user|all|every|without|tell|never|send|from|file|curl|wget|bash|sh|tar|nc|cat|eval|exec|import|os|http|https|system|env|rm)\b/gi,
  )
  return (words?.length ?? 0) >= 2 ? text : undefined
}

function readSelector(mark: string): number {
  const code = mark.codePointAt(0) ?? 0
  return code < 0xff00 ? code - 0xfe00 : code - 0xe0100 + 16
}

function decodeZeroWidth(text: string): string | undefined {
  const [zero, one] = [...new Set(text)].sort()
  if (zero === undefined || one === undefined) return undefined
  for (const mark of [one, zero]) {
    const bits = [...text].map((each) => (each === mark ? '1' : '0')).join('')
    const bytes = (bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2))
    const decoded = toUtf8(bytes)
    if (decoded !== undefined && isReadable(decoded)) return decoded
  }
  return undefined
}

/** Decodes base64, unless it is a word, a path or a digest. */
function decodeBase64Text(text: string): string | undefined {
  if (!/[A-Z]/.test(text) || !/[a-z]/.test(text)) return undefined
  if (/^[A-Za-z/_-]+$/.test(text) && /[/_-]/.test(text)) return undefined
  // Most texts of these letters are binary data: the first bytes show it.
  const isBinary = Buffer.from(text.slice(0, 20), 'base64').some((byte) => byte < 9 || byte === 127)
  return isBinary ? undefined : toUtf8(Buffer.from(text, 'base64'))
}

function decodeHex(text: string): string | undefined {
  return toUtf8(Buffer.from(text.replace(/^0x|[ :]/g, ''), 'hex'))
}

function decodeBase32(text: string): string | undefined {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'
  const bits = [...text.replace(/=+$/, '')]
    .map((letter) => letters.indexOf(letter).toString(2).padStart(5, '0'))
    .join('')
  return toUtf8((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)))
}

export function rotate(text: string): string {
  return text.replace(/[A-Za-z]/g, (letter) => {
    const base = letter <= 'Z' ? 65 : 97
    return String.fromCharCode(((letter.charCodeAt(0) - base + 13) % 26) + base)
  })
}

function toUtf8(bytes: readonly number[] | Uint8Array): string | undefined {
  if (bytes.length < 6 || bytes.some((byte: number) => !(byte >= 0 && byte < 256))) return undefined
  const text = Buffer.from(bytes).toString('utf8')
  return text.includes('\uFFFD') ? undefined : text
}

/** True for text of letters and signs, with words. */
function isReadable(text: string): boolean {
  return (
    !/[\u0000-\u0008\u000E-\u001F\u007F-\u009F]/.test(text) &&
    /[a-z]{3}|[\u4E00-\u9FFF]{2}/i.test(text)
  )
}
