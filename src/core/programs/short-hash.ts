/** What an answer in few words may cost a model, in tokens of cl100k. */
const TOKEN_BUDGET = 60
/** Of a success with all its fields, without its numbers, its handle and the characters of the hash. */
const FIXED_TOKENS = 37
/** One token. */
const MIN_DIGITS = 3

/** What varies in a success in mode minimal. */
interface AnswerFacts {
  durationMs: number
  outputLines: number
  outputBytes: number
  artifactHandle: string | null
}

/**
 * As much of an audit hash as there is room for: it begins with 16 digits, of which three are a token.
 * Undefined where there is no room for what would still be worth something.
 */
export function shortenHash(auditHash: string, facts: AnswerFacts): string | undefined {
  const { durationMs, outputLines, outputBytes, artifactHandle } = facts
  const numbers = [durationMs, outputLines, outputBytes].map((each) => countTokens(String(each)))
  const used =
    numbers.reduce((sum, each) => sum + each, FIXED_TOKENS) + countTokens(artifactHandle ?? '')
  const room = Math.min(15, 3 * (TOKEN_BUDGET - used))
  return room < MIN_DIGITS ? undefined : auditHash.slice(0, room)
}

/** As good as: three digits are one token, so are words that are not long, with what stands before them. */
function countTokens(text: string): number {
  const pieces = text.match(/\d{1,3}|[^\dA-Za-z]?[A-Za-z]+|[^]/g) ?? []
  return pieces.reduce((sum, piece) => sum + countPieceTokens(piece), 0)
}

/** Words that every handle may have, and what is short, are one. */
function countPieceTokens(piece: string): number {
  if (/^(?:\d+|runtime|-local)$/.test(piece)) return 1
  return piece.length === 1 ? 1 : 1 + Math.ceil(piece.length / 10)
}
