/** A regular expression over bytes. */
export type Expression =
  /** One byte of these, one flag per byte. */
  | { kind: 'bytes'; set: Uint8Array }
  | { kind: 'sequence'; parts: readonly Expression[] }
  | { kind: 'choice'; parts: readonly Expression[] }
  /** `maximum` is Infinity for no limit. */
  | { kind: 'repeat'; part: Expression; minimum: number; maximum: number }
  | { kind: 'assertion'; is: Assertion }

export type Assertion = 'lineStart' | 'lineEnd' | 'wordBorder' | 'noWordBorder'

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

/** Any character that is not ASCII, in UTF-8; an invalid byte counts as one. */
export const NON_ASCII: Expression = {
  kind: 'choice',
  parts: [
    byteExpression([0x80, 0xbf]),
    {
      kind: 'sequence',
      parts: [
        byteExpression([0xc0, 0xff]),
        {
          kind: 'repeat',
          part: byteExpression([0x80, 0xbf]),
          minimum: 0,
          maximum: 3,
        },
      ],
    },
  ],
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
    case 'assertion': {
      const { is } = expression
      const reversed = is === 'lineStart' ? 'lineEnd' : is === 'lineEnd' ? 'lineStart' : is
      return { kind: 'assertion', is: reversed }
    }
    case 'bytes':
      return expression
  }
}
