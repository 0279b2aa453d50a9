import type { JsonValue } from '../envelope/strict-json.ts'
import { formatStatement, type StatementSubject } from './statement.ts'

/** Type of the predicate for results of tests, of in-toto. */
export const TEST_RESULT_TYPE = 'https://in-toto.io/attestation/test-result/v0.1'

const RESULTS = ['PASSED', 'WARNED', 'FAILED'] as const

/** Names of tests by their outcome. */
export interface TestResult {
  result: (typeof RESULTS)[number]
  passed: readonly string[]
  /** Passed only when they were tried again. */
  warned: readonly string[]
  failed: readonly string[]
}

/** The parts of a test report that a statement has. */
interface ReportedCases {
  cases: readonly {
    skill: string
    suite: string
    name: string
    status: 'passed' | 'failed' | 'flaky'
  }[]
  isPartial: boolean
}

/** The cases of one skill. An incomplete run of tests is a failure, as is one without cases. */
export function summarizeTests({ cases, isPartial }: ReportedCases, skill: string): TestResult {
  const own = cases.filter((each) => each.skill === skill)
  const listNames = (status: string) =>
    own.filter((each) => each.status === status).map(({ suite, name }) => `${suite} › ${name}`)
  const [passed, warned, failed] = [listNames('passed'), listNames('flaky'), listNames('failed')]
  const isFailed = failed.length > 0 || isPartial || own.length === 0
  return {
    result: isFailed ? 'FAILED' : warned.length > 0 ? 'WARNED' : 'PASSED',
    passed,
    warned,
    failed,
  }
}

/** The configuration of a test run is the digest of its report. */
export function formatTestResult(
  subjects: readonly StatementSubject[],
  { result, passed, warned, failed }: TestResult,
  report: StatementSubject,
): Buffer {
  const digest = { sha256: report.digest.replace(/^sha256:/, '') }
  return formatStatement(TEST_RESULT_TYPE, subjects, {
    result,
    configuration: [{ name: report.name, digest }],
    passedTests: passed,
    warnedTests: warned,
    failedTests: failed,
  })
}

const MAX_TESTS = 100_000

export function parseTestResult(predicate: JsonValue): TestResult {
  const result = predicate.at('result')
  const found = RESULTS.find((each) => each === result.value)
  if (!found) throw result.refuse(`one of ${RESULTS.join(', ')}`)
  const listTests = (name: string) => {
    const tests = predicate.at(name)
    return tests.isAbsent ? [] : tests.texts(MAX_TESTS)
  }
  return {
    result: found,
    passed: listTests('passedTests'),
    warned: listTests('warnedTests'),
    failed: listTests('failedTests'),
  }
}
