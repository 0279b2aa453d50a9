import { formatAnnotation } from '../../util/reports/github.ts'
import { renderFailureText } from './failure-text.ts'
import { formatCaseTitle } from './test-report.ts'
import type { TestReporter } from './test-reporter.ts'

export const githubTestReporter: TestReporter = {
  name: 'github',
  summary: 'annotations for GitHub workflows',
  describeCase(report) {
    const { status, path, attempts } = report
    if (status === 'passed') return ''
    const failures = attempts.findLast((each) => each.failures.length > 0)?.failures ?? []
    const level = status === 'failed' ? 'error' : 'warning'
    const title = `${status === 'flaky' ? 'flaky: ' : ''}${formatCaseTitle(report)}`
    const lines = failures.map((each) => {
      const { line, column: col } = each.position
      const properties = { file: path, line, col, title }
      return `${formatAnnotation({ level, properties, text: renderFailureText(path, each) })}\n`
    })
    return lines.join('')
  },
  describeEnd: () => '',
}
