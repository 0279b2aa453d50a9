import { escapeXml } from '../../util/xml.ts'
import { renderFailureText } from './failure-text.ts'
import { countCases, formatCaseTitle, type CaseReport } from './test-report.ts'
import type { TestReporter } from './test-reporter.ts'

/** A page without scripts, and without anything from the network. */
export const htmlTestReporter: TestReporter = {
  name: 'html',
  summary: 'one HTML page without scripts',
  describeEnd(report) {
    const { passed, failed, flaky } = countCases(report)
    const totals = `${failed} failed, ${flaky} flaky, ${passed} passed`
    const seconds = (report.durationMs / 1000).toFixed(1)
    return [
      '<!doctype html>',
      '<html lang="en">',
      '<head>',
      '<meta charset="utf-8">',
      `<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
      '<meta name="viewport" content="width=device-width">',
      `<title>skills test: ${totals}</title>`,
      `<style>${STYLE}</style>`,
      '</head>',
      '<body>',
      `<h1>${totals}</h1>`,
      `<p>${report.cases.length} cases in ${seconds} s</p>`,
      ...report.cases.map(renderCaseDetails),
      '</body>',
      '</html>',
      '',
    ].join('\n')
  },
}

const STYLE =
  'body{font:16px/1.5 system-ui;margin:2rem auto;max-width:60rem;padding:0 1rem}pre{overflow:auto;background:#8881;padding:.5rem}summary{cursor:pointer}.passed{color:#1a7f37}.failed{color:#cf222e}.flaky{color:#9a6700}'

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
