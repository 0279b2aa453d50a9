import { toPrintable } from '../../util/printable.ts'
import { describeTotals } from './pretty.ts'
import { formatCaseTitle } from './test-report.ts'
import type { TestReporter } from './test-reporter.ts'

export const conciseTestReporter: TestReporter = {
  name: 'concise',
  summary: 'one line per failed expectation',
  describeCase({ status, attempts, path, ...report }) {
    if (status !== 'failed') return ''
    const title = toPrintable(formatCaseTitle(report))
    const failures = attempts.at(-1)?.failures ?? []
    return failures
      .map(({ position: { line, column }, message }) => {
        return `${toPrintable(path)}:${line}:${column}: ${title}: ${toPrintable(message)}\n`
      })
      .join('')
  },
  describeEnd: (report, options) => `${describeTotals(report, options)}\n`,
}
