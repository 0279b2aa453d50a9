/** A regular expression over bytes. */
export type Expression =
  /** One byte of these, one flag per byte. */
  | { kind: 'bytes'; set: Uint8Array }
  | { kind: 'sequence'; parts: readonly Expression[] }
  | { kind: 'choice'; parts: readonly Expression[] }
  /** `maximum` is Infinity for no limit. */
  | { kind: 'repeat'; part: Expression; minimum: number; maximum: number }
  | { kind: 'assertion'; is: Assertion }

export type Assertion =
  | 'lineStart'
  | 'lineEnd'
  | 'wordBorder'
  | 'noWordBorder'
  /** The byte on this side is not a continuation byte of UTF-8. */
  | 'noContinuationAhead'
  | 'noContinuationBehind'
  /** The byte on this side is ASCII, or there is none. */
  | 'asciiAhead'
  | 'asciiBehind'

export function byteSet(...ranges: readonly (readonly [number, number])[]): Uint8Array {
  const set = new Uint8Array(256)
  for (const [from, to] of ranges) set.fill(1, from, to + 1)
  return set
}

export function invertAscii(set: Uint8Array): Uint8Array {
  return set.map((flag, byte) => (byte < 128 ? 1 - flag : 0))
}

export const DIGITS: Uint8Array = byteSet([48, 57])
export const WORDS: Uint8Array = byteSet([48, 57], [65, 90], [95, 95], [97, 122])
export const SPACES: Uint8Array = byteSet([9, 13], [32, 32])

const byteExpression = (...ranges: readonly (readonly [number, number])[]): Expression => ({
  kind: 'bytes',
  set: byteSet(...ranges),
})

const CONTINUATION = byteExpression([0x80, 0xbf])

/**
 * Any character that is not ASCII, in UTF-8: a first byte and all continuation bytes after it. In
 * text that is not UTF-8, continuation bytes after ASCII count as one character. The assertions keep
 * a character whole: without them, two parts of an expression could match one half each.
 */
export const NON_ASCII: Expression = {
  kind: 'sequence',
  parts: [
    {
      kind: 'choice',
      parts: [
        byteExpression([0xc0, 0xff]),
        { kind: 'sequence', parts: [{ kind: 'assertion', is: 'asciiBehind' }, CONTINUATION] },
      ],
    },
    { kind: 'repeat', part: CONTINUATION, minimum: 0, maximum: Infinity },
    { kind: 'assertion', is: 'noContinuationAhead' },
  ],
}

const REVERSED: Readonly<Record<Assertion, Assertion>> = {
  lineStart: 'lineEnd',
  lineEnd: 'lineStart',
  wordBorder: 'wordBorder',
  noWordBorder: 'noWordBorder',
  noContinuationAhead: 'noContinuationBehind',
  noContinuationBehind: 'noContinuationAhead',
  asciiAhead: 'asciiBehind',
  asciiBehind: 'asciiAhead',
}

/** The same expression for text that is read backwards. */
export function reverseExpression(expression: Expression): Expression {
  switch (expression.kind) {
    case 'sequence':
      return { kind: 'sequence', parts: expression.parts.map(reverseExpression).toReversed() }
    case 'choice':
      return { kind: 'choice', parts: expression.parts.map(reverseExpression) }
    case 'repeat':
      return { ...expression, part: reverseExpression(expression.part) }
    case 'assertion':
      return { kind: 'assertion', is: REVERSED[expression.is] }
    case 'bytes':
      return expression
  }
}
