import type { Digest, DigestFailure, DigestKind } from './digest.ts'

/** Lines of an output without colours, and the exit code. */
export interface DigestInput {
  stdout: readonly string[]
  stderr: readonly string[]
  /** Lines of stdout, followed by those of stderr. */
  all: readonly string[]
  exitCode: number | null
}

/** Result of a parser; failures beyond the limit are only counted. */
export type ParsedOutput = Pick<Digest, 'summary'> & {
  failures: readonly DigestFailure[]
  /** True if the tool reports success; the exit code overrides it. */
  ok: boolean
}

/** Parses the output of one tool. */
export interface DigestParser {
  kind: DigestKind
  /** Matches command lines that run this tool. */
  command: RegExp
  /** True if the lines have this tool's format. */
  looksLike(lines: readonly string[]): boolean
  /** Undefined if the output contains nothing of this tool. */
  parse(input: DigestInput): ParsedOutput | undefined
}

/** A number with its noun: `1 error`, `2 errors`. */
export function formatQuantity(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** Matches of a pattern, one for each line that matches. */
export function matchLines(lines: readonly string[], pattern: RegExp): RegExpExecArray[] {
  return lines.map((line) => pattern.exec(line)).filter((found) => found !== null)
}

const EXPECTED = /^\s*Expected(?: value)?:\s+(\S.*)$/i
const RECEIVED = /^\s*(?:Received(?: value)?|Actual|But was|Got):\s+(\S.*)$/i

/** Adds what a check expected and received, if the lines below its message say so. */
export function addDifference(message: string, lines: readonly string[]): string {
  const [expected] = matchLines(lines, EXPECTED)
  const [received] = matchLines(lines, RECEIVED)
  if (!expected || !received) return message
  const subject = message.replace(/ \/\/ .*$/, '')
  return `${subject}: expected ${expected[1]}, received ${received[1]}`
}
