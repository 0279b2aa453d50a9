import { renderHtmlPage } from '../../util/reports/html.ts'
import { escapeXml } from '../../util/xml.ts'
import { renderFailureText } from './failure-text.ts'
import { countCases, formatCaseTitle, type CaseReport } from './test-report.ts'
import type { TestReporter } from './test-reporter.ts'

export const htmlTestReporter: TestReporter = {
  name: 'html',
  summary: 'one HTML page without scripts',
  describeEnd(report) {
    const { passed, failed, flaky } = countCases(report)
    const totals = `${failed} failed, ${flaky} flaky, ${passed} passed`
    const seconds = (report.durationMs / 1000).toFixed(1)
    return renderHtmlPage(`skills test: ${totals}`, STYLE, [
      `<h1>${totals}</h1>`,
      `<p>${report.cases.length} cases in ${seconds} s</p>`,
      ...report.cases.map(renderCaseDetails),
    ])
  },
}

const STYLE =
  'summary{cursor:pointer}.passed{color:#1a7f37}.failed{color:#cf222e}.flaky{color:#9a6700}'

function renderCaseDetails(report: CaseReport): string {
  const { status, attempts, path } = report
  const title = `<span class="${status}">${status}</span> ${escapeXml(formatCaseTitle(report))}`
  const parts = attempts.flatMap(({ failures, output }) => [
    ...failures.map((each) => `<pre>${escapeXml(renderFailureText(path, each))}</pre>`),
    ...(output === '' ? [] : [`<pre>${escapeXml(output)}</pre>`]),
  ])
  const open = status === 'passed' ? '' : ' open'
  return `<details${open}><summary>${title}</summary>${parts.join('')}</details>`
}
