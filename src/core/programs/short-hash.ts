/** What an answer in few words may cost a model, in tokens of cl100k. */
const BUDGET = 60
/** Of a success with all its fields, without its numbers, its handle and the characters of the hash. */
const FIXED = 37
/** One token. */
const LEAST = 3

/** What varies in a success in mode minimal. */
interface ShortFacts {
  durationMs: number
  outputLines: number
  outputBytes: number
  artifactHandle: string | null
}

/**
 * As much of an audit hash as there is room for: it begins with 16 digits, of which three are a token.
 * Undefined where there is no room for what would still be worth something.
 */
export function shortHash(auditHash: string, facts: ShortFacts): string | undefined {
  const { durationMs, outputLines, outputBytes, artifactHandle } = facts
  const numbers = [durationMs, outputLines, outputBytes].map((each) => tokensIn(String(each)))
  const used = numbers.reduce((sum, each) => sum + each, FIXED) + tokensIn(artifactHandle ?? '')
  const room = Math.min(15, 3 * (BUDGET - used))
  return room < LEAST ? undefined : auditHash.slice(0, room)
}

/** As good as: three digits are one token, so are words that are not long, with what stands before them. */
function tokensIn(text: string): number {
  const pieces = text.match(/\d{1,3}|[^\dA-Za-z]?[A-Za-z]+|[^]/g) ?? []
  return pieces.reduce((sum, piece) => sum + tokensOf(piece), 0)
}

/** Words that every handle may have, and what is short, are one. */
function tokensOf(piece: string): number {
  if (/^(?:\d+|runtime|-local)$/.test(piece)) return 1
  return piece.length === 1 ? 1 : 1 + Math.ceil(piece.length / 10)
}
