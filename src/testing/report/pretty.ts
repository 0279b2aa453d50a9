import { toPrintable, toPrintableLines } from '../../util/printable.ts'
import { describeDifference } from './describe-difference.ts'
import { countCases, formatCaseTitle, type CaseReport, type TestReport } from './test-report.ts'
import type { TestReporter, TestReporterOptions } from './test-reporter.ts'

const MARKS = { passed: '✓', failed: '✗', flaky: '~' } as const
/** Lines of output shown with a failed case. */
const MAX_OUTPUT_LINES = 20

export const prettyTestReporter: TestReporter = {
  name: 'pretty',
  summary: 'for people: one line per case, and the differences of failed ones',
  describeCase(report, options) {
    const { paint } = options
    const last = report.attempts.at(-1)
    const time = last ? paint('dim', ` ${Math.round(last.durationMs)} ms`) : ''
    const head = `${paint(report.status, MARKS[report.status])} ${toPrintable(formatCaseTitle(report))}${time}`
    const details = report.status === 'failed' ? describeFailedCase(report, options) : []
    return `${[head, ...details].join('\n')}\n`
  },
  describeEnd: (report, options) => `\n${describeTotals(report, options)}\n`,
}

/** The failures of the last try, with their places. */
function describeFailedCase(
  { path, attempts }: CaseReport,
  options: TestReporterOptions,
): string[] {
  const last = attempts.at(-1)
  if (!last) return []
  const failures = last.failures.flatMap(({ position, message, difference }) => [
    `    ${options.paint('dim', `${toPrintable(path)}:${position.line}:${position.column}`)}`,
    `    ${toPrintable(message)}`,
    ...(difference ? describeDifference(difference, options).map((line) => `      ${line}`) : []),
  ])
  return [...failures, ...renderCaseOutput(last.output, options)]
}

function renderCaseOutput(output: string, { paint }: TestReporterOptions): string[] {
  if (output.trim() === '') return []
  const lines = toPrintableLines(output.trimEnd()).split('\n')
  const hidden = lines.length - MAX_OUTPUT_LINES
  const shown = lines.slice(-MAX_OUTPUT_LINES).map((line) => paint('dim', `    │ ${line}`))
  const note = hidden > 0 ? [paint('dim', `    │ … ${hidden} lines before`)] : []
  return [...note, ...shown]
}

/** `3 passed, 1 failed (4 cases, 0.4 s)`. */
export function describeTotals(report: TestReport, { paint }: TestReporterOptions): string {
  const counts = countCases(report)
  const parts = (['failed', 'flaky', 'passed'] as const)
    .filter((status) => counts[status] > 0)
    .map((status) => paint(status, `${counts[status]} ${status}`))
  const total = report.cases.length
  const seconds = (report.durationMs / 1000).toFixed(1)
  const cases = `${total} ${total === 1 ? 'case' : 'cases'}`
  const partial = report.isPartial ? ', the rest did not run' : ''
  return `${parts.join(', ')} (${cases}, ${seconds} s${partial})`
}
