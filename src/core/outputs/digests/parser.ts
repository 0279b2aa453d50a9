import type { Digest, DigestFailure, DigestKind } from './digest.ts'

/** The lines of an output without colours, and what was run. */
export interface DigestInput {
  stdout: readonly string[]
  stderr: readonly string[]
  /** Those of stdout, then those of stderr. */
  all: readonly string[]
  exitCode: number | null
}

/** What a parser made of an output; failures beyond those that are shown are counted. */
export type ParsedOutput = Pick<Digest, 'summary'> & {
  failures: readonly DigestFailure[]
  /** Whether the tool says that all is well; the exit code has the last word. */
  ok: boolean
}

/** Reads what one tool prints. */
export interface DigestParser {
  kind: DigestKind
  /** Whether a command runs this tool. */
  command: RegExp
  /** Whether lines look like this tool's. */
  looksLike(lines: readonly string[]): boolean
  /** Undefined where nothing of the tool is found in it. */
  parse(input: DigestInput): ParsedOutput | undefined
}

/** A number with its noun: `1 error`, `2 errors`. */
export function formatCount(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`
}

/** What a pattern finds, for every line that fits it. */
export function matchLines(lines: readonly string[], pattern: RegExp): RegExpExecArray[] {
  return lines.map((line) => pattern.exec(line)).filter((found) => found !== null)
}
