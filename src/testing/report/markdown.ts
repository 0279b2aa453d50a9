import { fenceText } from '../../util/reports/markdown.ts'
import { renderFailureText } from './failure-text.ts'
import { countCases, formatCaseTitle, type CaseReport } from './test-report.ts'
import type { TestReporter } from './test-reporter.ts'

export const markdownTestReporter: TestReporter = {
  name: 'markdown',
  summary: 'a summary in Markdown, such as for $GITHUB_STEP_SUMMARY',
  describeEnd(report) {
    const { passed, failed, flaky } = countCases(report)
    const head = failed > 0 ? '## Tests failed' : '## Tests passed'
    const table = [
      '| passed | failed | flaky |',
      '| --: | --: | --: |',
      `| ${passed} | ${failed} | ${flaky} |`,
    ]
    const details = report.cases
      .filter(({ status }) => status !== 'passed')
      .flatMap(describeUnsteady)
    return [head, '', ...table, '', ...details].join('\n')
  },
}

function describeUnsteady(report: CaseReport): string[] {
  const failures = report.attempts.findLast((each) => each.failures.length > 0)?.failures ?? []
  const text = failures.map((each) => renderFailureText(report.path, each)).join('\n')
  return [
    `### ${report.status}: ${escapeMarkdown(formatCaseTitle(report))}`,
    '',
    fenceText(text, 'diff'),
    '',
  ]
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_[\]<>#|]/g, String.raw`\$&`).replaceAll('\n', ' ')
}
