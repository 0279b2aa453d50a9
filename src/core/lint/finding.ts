import type { TextPosition } from '../../util/line-index.ts'
import type { LintEdit, Severity } from './rule.ts'

/** A finding as it is reported: what a rule said, where that is, and how much it matters here. */
export interface Finding {
  rule: string
  severity: Severity
  /** Absolute folder of the skill. */
  skill: string
  /** Relative to the skill. */
  file: string
  /** Relative to the working directory, as it is printed. */
  path: string
  /** Absent where the finding is about a file as a whole. */
  start: TextPosition | undefined
  end: TextPosition | undefined
  message: string
  help: string | undefined
  related: readonly { path: string; start: TextPosition | undefined; message: string }[]
  /** How it can be mended by a command, if at all. */
  fix: 'safe' | 'unsafe' | undefined
  edits: readonly LintEdit[]
}

/** Something that could not be checked at all. */
export interface CheckFailure {
  path: string
  message: string
  hint: string | undefined
}

/** What a lint run amounts to. */
export interface LintSummary {
  skills: number
  errors: number
  warnings: number
  infos: number
  fixableSafe: number
  fixableUnsafe: number
  /** Files that --fix changed. */
  fixed: readonly string[]
  failures: readonly CheckFailure[]
}
