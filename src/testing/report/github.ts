import { renderFailureText } from './failure-text.ts'
import { formatCaseTitle, type CaseReport } from './test-report.ts'
import type { TestReporter } from './test-reporter.ts'

export const githubTestReporter: TestReporter = {
  name: 'github',
  summary: 'annotations for GitHub workflows',
  describeCase(report) {
    if (report.status === 'passed') return ''
    const failures = report.attempts.findLast((each) => each.failures.length > 0)?.failures ?? []
    const level = report.status === 'failed' ? 'error' : 'warning'
    return failures.map((each) => `${annotate(level, report, each)}\n`).join('')
  },
  describeEnd: () => '',
}

// eslint-disable-next-line max-params -- the level, the case and the failure
function annotate(
  level: 'error' | 'warning',
  report: CaseReport,
  failure: Parameters<typeof renderFailureText>[1],
): string {
  const { line, column } = failure.position
  const title = `${report.status === 'flaky' ? 'flaky: ' : ''}${formatCaseTitle(report)}`
  const facts = `file=${escapeFact(report.path)},line=${line},col=${column},title=${escapeFact(title)}`
  return `::${level} ${facts}::${escapeText(renderFailureText(report.path, failure))}`
}

function escapeText(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeFact(text: string): string {
  return escapeText(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}
