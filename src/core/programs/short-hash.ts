/** Token budget of a brief answer, counted with cl100k. */
const TOKEN_BUDGET = 60
/**
 * Tokens of a success with all its fields, without the numbers, the handle and the digits of the
 * hash.
 */
const FIXED_TOKENS = 37
/** Tokens of the number of masked texts, without the number. */
const REDACTION_TOKENS = 5
/** Three digits are one token. */
const MIN_DIGITS = 3

/** The variable parts of a success in mode minimal. */
interface AnswerFacts {
  durationMs: number
  outputLines: number
  outputBytes: number
  artifactHandle: string | null
  redactions?: number
}

/**
 * Returns as many digits of an audit hash as fit into the budget. The hash begins with 16 digits;
 * three of them are one token. Undefined if fewer than three digits fit.
 */
export function shortenHash(auditHash: string, facts: AnswerFacts): string | undefined {
  const { durationMs, outputLines, outputBytes, artifactHandle, redactions } = facts
  const numbers = [durationMs, outputLines, outputBytes].map((each) => countTokens(String(each)))
  const used =
    numbers.reduce((sum, each) => sum + each, FIXED_TOKENS) +
    countTokens(artifactHandle ?? '') +
    (redactions === undefined ? 0 : REDACTION_TOKENS + countTokens(String(redactions)))
  const digits = Math.min(15, 3 * (TOKEN_BUDGET - used))
  return digits < MIN_DIGITS ? undefined : auditHash.slice(0, digits)
}

/**
 * Estimates tokens: three digits are one token, and so is a short word with the character before
 * it.
 */
function countTokens(text: string): number {
  const pieces = text.match(/\d{1,3}|[^\dA-Za-z]?[A-Za-z]+|[^]/g) ?? []
  return pieces.reduce((sum, piece) => sum + countPieceTokens(piece), 0)
}

/** Counts one token for words of every handle and for short pieces. */
function countPieceTokens(piece: string): number {
  if (/^(?:\d+|runtime|-local)$/.test(piece)) return 1
  return piece.length === 1 ? 1 : 1 + Math.ceil(piece.length / 10)
}

/** Tokens of a failure without its handle, its numbers and optional fields. */
const FAILURE_TOKENS = 33
/** Tokens of the name of a field. */
const NAME_TOKENS = 4

/** Returns the fields that a brief failure with these facts has room for, in this order. */
export function selectFittingFields(
  { durationMs, artifactHandle }: Pick<AnswerFacts, 'durationMs' | 'artifactHandle'>,
  fields: Readonly<Record<string, number>>,
): Record<string, number> {
  let used = FAILURE_TOKENS + countTokens(String(durationMs)) + countTokens(artifactHandle ?? '')
  const fitting = Object.entries(fields).filter(([, value]) => {
    const tokens = NAME_TOKENS + countTokens(String(value))
    if (used + tokens > TOKEN_BUDGET) return false
    used += tokens
    return true
  })
  return Object.fromEntries(fitting)
}
