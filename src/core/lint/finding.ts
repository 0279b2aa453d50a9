import type { ReportedFinding } from '../../util/reports/finding.ts'
import type { SafetyCertainty } from '../safety/index.ts'
import type { LintEdit } from './rule.ts'

/** A finding as it is reported: message, location and severity in this configuration. */
export interface Finding extends ReportedFinding {
  /** Absolute path of the skill's folder. */
  skill: string
  /** Relative to the skill. */
  file: string
  related: NonNullable<ReportedFinding['related']>
  /** The command that fixes it (`--fix`, `--fix-unsafe`); undefined if none does. */
  fix: 'safe' | 'unsafe' | undefined
  edits: readonly LintEdit[]
  /** How sure a finding about the safety of the user is; `proved` by a run. */
  certainty?: SafetyCertainty | 'proved'
  /** True if it stands for findings that are not listed. */
  isSummary?: boolean
}

/** A finding that is not reported: a comment suppresses it, or the baseline lists it. */
export interface SuppressedFinding {
  finding: Finding
  kind: 'inSource' | 'external'
  /** Reason in the comment. */
  reason: string | undefined
}

/** A skill or file that could not be checked. */
export interface CheckFailure {
  path: string
  message: string
  hint: string | undefined
}

/** Totals of a lint run. */
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
