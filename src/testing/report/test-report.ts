import type { TextPosition } from '../../util/line-index.ts'
import type { ExpectationFailure } from '../../core/testing/expectations/expectation.ts'

/** Outcome of a case. `flaky`: it failed, and passed when it was tried again. */
export type CaseStatus = 'passed' | 'failed' | 'flaky'

/** One try of a case. */
export interface CaseAttempt {
  failures: readonly ExpectationFailure[]
  durationMs: number
  /** Log lines of a function, or output of a program. */
  output: string
  /** The workspace after the run, if it was kept. */
  kept: string | undefined
}

/** The result of one case; without times, it is equal in every order of cases. */
export interface CaseReport {
  /** Name of the tested skill. */
  skill: string
  suite: string
  /** Path of the suite's file, relative to the working directory. */
  path: string
  readonly position: TextPosition
  name: string
  tags: readonly string[]
  status: CaseStatus
  /** At least one, in the order of the tries. */
  attempts: readonly CaseAttempt[]
}

/** The result of a test run: its cases in the order of the suites. */
export interface TestReport {
  cases: readonly CaseReport[]
  durationMs: number
  /** True if cases were left out because of `--bail` or an interruption. */
  isPartial: boolean
}

/** Number of cases by their outcome. */
export function countCases({ cases }: Pick<TestReport, 'cases'>): Record<CaseStatus, number> {
  const counts = { passed: 0, failed: 0, flaky: 0 }
  for (const { status } of cases) counts[status] += 1
  return counts
}

/** `skill › suite › case`, which `--filter` matches. */
export function formatCaseTitle({
  skill,
  suite,
  name,
}: Pick<CaseReport, 'skill' | 'suite' | 'name'>): string {
  return `${skill} › ${suite} › ${name}`
}
