/** Token budget of a brief answer, counted with cl100k. */
const TOKEN_BUDGET = 60
/**
 * Tokens of a success with all its fields, without the numbers, the handle and the digits of the
 * hash.
 */
const FIXED_TOKENS = 37
/** Three digits are one token. */
const MIN_DIGITS = 3

/** The variable parts of a success in mode minimal. */
interface AnswerFacts {
  durationMs: number
  outputLines: number
  outputBytes: number
  artifactHandle: string | null
}

/**
 * Returns as many digits of an audit hash as fit into the budget. The hash begins with 16 digits;
 * three of them are one token. Undefined if fewer than three digits fit.
 */
export function shortenHash(auditHash: string, facts: AnswerFacts): string | undefined {
  const { durationMs, outputLines, outputBytes, artifactHandle } = facts
  const numbers = [durationMs, outputLines, outputBytes].map((each) => countTokens(String(each)))
  const used =
    numbers.reduce((sum, each) => sum + each, FIXED_TOKENS) + countTokens(artifactHandle ?? '')
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
