import { toPrintable } from '../../util/printable.ts'
import { renderFailureText } from './failure-text.ts'
import { formatCaseTitle, type CaseReport } from './test-report.ts'
import type { TestReporter } from './test-reporter.ts'

export const tapTestReporter: TestReporter = {
  name: 'tap',
  summary: 'TAP version 14',
  describeEnd({ cases, isPartial }) {
    const lines = cases.flatMap((each, at) => describePoint(each, at + 1))
    const end = isPartial ? ['Bail out! The rest did not run'] : []
    return ['TAP version 14', `1..${cases.length}`, ...lines, ...end, ''].join('\n')
  },
}

function describePoint(report: CaseReport, number: number): string[] {
  const title = toPrintable(formatCaseTitle(report)).replaceAll('\\', '\\\\').replaceAll('#', '\\#')
  const isOk = report.status !== 'failed'
  const note = report.status === 'flaky' ? ' # flaky' : ''
  const head = `${isOk ? 'ok' : 'not ok'} ${number} - ${title}${note}`
  const failures = report.attempts.findLast((each) => each.failures.length > 0)?.failures ?? []
  if (failures.length === 0) return [head]
  const text = failures.map((each) => renderFailureText(report.path, each)).join('\n')
  return [head, '  ---', '  message: |', ...text.split('\n').map((line) => `    ${line}`), '  ...']
}
