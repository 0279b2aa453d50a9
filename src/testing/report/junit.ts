import { stripColors } from '../../util/strip-colors.ts'
import { renderJunit, type JunitCase } from '../../util/reports/junit.ts'
import { countCases, type CaseReport } from './test-report.ts'
import type { TestReporter } from './test-reporter.ts'
import { renderFailureText } from './failure-text.ts'

export const junitTestReporter: TestReporter = {
  name: 'junit',
  summary: 'JUnit XML: flaky cases have flakyFailure elements',
  describeEnd({ cases, durationMs }) {
    const { failed: failures } = countCases({ cases })
    const facts = { tests: cases.length, failures, time: toSeconds(durationMs) }
    const suites = [...groupByPath(cases)].map(([file, own]) => {
      const name = own[0] ? `${own[0].skill} ${own[0].suite}` : file
      const counts = { tests: own.length, failures: countCases({ cases: own }).failed }
      return { attributes: { name, file, ...counts }, cases: own.map(toJunitCase) }
    })
    return `${renderJunit({ name: 'skills test', ...facts }, suites)}\n`
  },
}

function groupByPath(cases: readonly CaseReport[]): Map<string, CaseReport[]> {
  const groups = new Map<string, CaseReport[]>()
  for (const each of cases) groups.set(each.path, [...(groups.get(each.path) ?? []), each])
  return groups
}

function toJunitCase(report: CaseReport): JunitCase {
  const { name, skill, suite, path: file, position, status, attempts } = report
  const time = toSeconds(attempts.reduce((sum, { durationMs }) => sum + durationMs, 0))
  const failed = attempts.filter(({ failures }) => failures.length > 0)
  const elements = failed.map(({ failures }, at) => ({
    name: status === 'flaky' ? 'flakyFailure' : at === 0 ? 'failure' : 'rerunFailure',
    attributes: { type: failures[0]?.expectation ?? '', message: failures[0]?.message ?? '' },
    text: failures.map((each) => renderFailureText(file, each)).join('\n'),
  }))
  const output = attempts.at(-1)?.output ?? ''
  return {
    attributes: { name, classname: `${skill}.${suite}`, file, line: position.line, time },
    elements: [
      ...elements,
      ...(output === '' ? [] : [{ name: 'system-out', text: stripColors(output) }]),
    ],
  }
}

function toSeconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}
