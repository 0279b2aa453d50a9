/** A text in which some pieces are replaced, with the way back to the original. */
export interface TextView {
  text: string
  /** The range of the original text that a range of the view stands for. */
  toOriginalRange(start: number, end: number): [start: number, end: number]
}

/** A replaced piece: its places and lengths in the view and in the original. */
interface ReplacedPiece {
  at: number
  length: number
  original: number
  originalLength: number
}

/** Line breaks, also as Python and JSON escape them. */
export const LINE_BREAKS = /\r?\n|(?:\\r)?\\n/g
/** Length of the longest escape, in bytes. */
export const MAX_ESCAPE = 16

/** A way to escape characters. Each has its own view: what is special in one is plain in another. */
export interface EscapeStyle {
  /** Begins every escape. */
  mark: string
  escapes: RegExp
  /** An escape that may continue after the end of the bytes so far. */
  partial: RegExp
  decode: (escape: string) => string
}

/** Escapes of URLs, of JSON, JavaScript, Python, C and shells, and of HTML. */
export const ESCAPE_STYLES: readonly EscapeStyle[] = [
  {
    mark: '%',
    escapes: /%[\da-fA-F]{2}/g,
    partial: /%[\da-fA-F]?$/,
    decode: (escape) => String.fromCharCode(Number.parseInt(escape.slice(1), 16)),
  },
  {
    mark: '\\',
    escapes:
      /\\(?:u[\da-fA-F]{4}|u\{[\da-fA-F]{1,6}\}|U[\da-fA-F]{8}|x[\da-fA-F]{2}|[0-7]{1,3}|[^\dA-Za-z\u0080-\u00ff]|[nrtbf])/g,
    // A backslash after an odd number of them is escaped itself.
    partial:
      /(?<=(?:^|[^\\])(?:\\\\)*)\\(?:u[\da-fA-F]{0,3}|u\{[\da-fA-F]{0,6}|U[\da-fA-F]{0,7}|x[\da-fA-F]?|[0-7]{0,2})$/,
    decode: decodeBackslash,
  },
  {
    mark: '&',
    escapes: /&(?:#0{0,5}\d{1,7}|#[xX]0{0,5}[\da-fA-F]{1,6}|[A-Za-z]{2,8});/g,
    partial: /&(?:#[xX]?[\da-fA-F]{0,12}|[A-Za-z]{0,8})$/,
    decode: decodeEntity,
  },
]

const CONTROLS: Readonly<Record<string, string>> = {
  n: '\n',
  r: '\r',
  t: '\t',
  b: '\b',
  f: '\f',
}
/** Named characters of HTML that are ASCII. */
const NAMED = new Map(
  'Tab:\t NewLine:\n excl:! quot:" num:# dollar:$ percnt:% amp:& apos:\' lpar:( rpar:) ast:* plus:+ comma:, period:. sol:/ colon:: semi:; lt:< equals:= gt:> quest:? commat:@ lsqb:[ lbrack:[ bsol:\\ rsqb:] rbrack:] Hat:^ lowbar:_ grave:` lcub:{ lbrace:{ verbar:| vert:| rcub:} rbrace:}'
    .split(' ')
    .map((each): [string, string] => [
      each.slice(0, each.indexOf(':')),
      each.slice(each.indexOf(':') + 1),
    ]),
)

/** The bytes without line breaks. */
export function joinLines(bytes: string): TextView {
  return createView(bytes, LINE_BREAKS, () => '')
}

/** The bytes that the escapes in a text stand for. */
export function decodeEscapes(bytes: string, { escapes, decode }: EscapeStyle): TextView {
  return createView(bytes, escapes, decode)
}

/** Index of an incomplete escape at the end; undefined if there is none. */
export function findPartialEscape(bytes: string, { partial }: EscapeStyle): number | undefined {
  return partial.exec(bytes)?.index
}

function decodeBackslash(escape: string): string {
  const [, kind = ''] = escape
  if (kind === 'x') return String.fromCharCode(Number.parseInt(escape.slice(2), 16))
  const digits = /[0-9a-f]+/i.exec(escape.slice(2))?.[0] ?? ''
  if (kind === 'u' || kind === 'U') return encodeCodePoint(Number.parseInt(digits, 16), escape)
  if (/[0-7]/.test(kind)) return String.fromCharCode(Number.parseInt(escape.slice(1), 8) & 0xff)
  return CONTROLS[kind] ?? kind
}

function decodeEntity(escape: string): string {
  const name = escape.slice(1, -1)
  if (/^#x/i.test(name)) return encodeCodePoint(Number.parseInt(name.slice(2), 16), escape)
  if (name.startsWith('#')) return encodeCodePoint(Number(name.slice(1)), escape)
  return NAMED.get(name) ?? escape
}

/** The bytes of a character in UTF-8; half of a surrogate pair stays as it is. */
function encodeCodePoint(code: number, escape: string): string {
  if (code > 0x10_ff_ff || (code >= 0xd8_00 && code <= 0xdf_ff)) return escape
  return Buffer.from(String.fromCodePoint(code)).toString('latin1')
}

/** Replaces the pieces that a pattern finds. */
export function createView(
  bytes: string,
  pattern: RegExp,
  replace: (piece: string) => string,
): TextView {
  const pieces: ReplacedPiece[] = []
  let shift = 0
  const text = bytes.replace(pattern, (piece: string, ...rest: unknown[]) => {
    const original = rest.find((each) => typeof each === 'number') as number
    const replaced = replace(piece)
    if (replaced === piece) return piece
    const sizes = { length: replaced.length, originalLength: piece.length }
    pieces.push({ at: original - shift, original, ...sizes })
    shift += piece.length - replaced.length
    return replaced
  })
  const toOriginal = (index: number): [number, number] => {
    let [low, high] = [0, pieces.length]
    while (low < high) {
      const middle = (low + high) >> 1
      if ((pieces[middle]?.at ?? 0) <= index) low = middle + 1
      else high = middle
    }
    const piece = pieces[low - 1]
    if (!piece) return [index, index + 1]
    const { at, length, original, originalLength } = piece
    if (index < at + length) return [original, original + originalLength]
    const start = original + originalLength + index - at - length
    return [start, start + 1]
  }
  return {
    text,
    toOriginalRange: (start, end) => [toOriginal(start)[0], toOriginal(end - 1)[1]],
  }
}
