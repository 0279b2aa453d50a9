import { toPrintable } from '../../../util/printable.ts'
import type { LintResult } from '../lint.ts'
import { codeFrame } from './code-frame.ts'
import { countOf, placeOf } from './place.ts'
import type { Reporter, ReportOptions } from './reporter.ts'

export const prettyReporter: Reporter = {
  name: 'pretty',
  summary: 'for people: code frames and advice',
  render(result, options) {
    const blocks = result.findings.map((finding) => {
      const { paint } = options
      const head = `${paint('underline', placeOf(finding))}  ${paint(finding.severity, finding.severity)}  ${toPrintable(finding.message)}  ${paint('dim', finding.rule)}`
      const source = finding.start ? options.readSource(finding.path) : undefined
      const frame = source === undefined ? [] : codeFrame(finding, source, options)
      const help = finding.help ? [`  ${paint('dim', 'help:')} ${toPrintable(finding.help)}`] : []
      const related = finding.related.map(
        (each) => `  ${paint('dim', 'see:')}  ${placeOf(each)} ${toPrintable(each.message)}`,
      )
      return [head, ...frame, ...help, ...related].join('\n')
    })
    return [...blocks, summaryOf(result, options)].join('\n\n')
  },
}

/** What there is in all, and what a command can mend. */
export function summaryOf(result: LintResult, { paint }: Pick<ReportOptions, 'paint'>): string {
  const { errors, warnings, infos, skills, fixableSafe, fixableUnsafe } = result
  const checked = `${countOf(skills, 'skill')} checked`
  const lines: string[] = []
  if (result.fixed.length > 0) lines.push(`${countOf(result.fixed.length, 'file')} fixed`)
  if (result.failures.length > 0) {
    lines.push(paint('bold', `Not everything could be checked: ${result.failures.length} failed`))
  }
  if (errors + warnings + infos === 0) {
    if (result.failures.length === 0) lines.push(paint('bold', `No problems, ${checked}`))
  } else {
    const counts = [countOf(errors, 'error'), countOf(warnings, 'warning')]
    if (infos > 0) counts.push(countOf(infos, 'remark'))
    lines.push(paint('bold', `${counts.join(', ')}, ${checked}`))
  }
  if (fixableSafe > 0) lines.push(`${fixableSafe} can be fixed with --fix`)
  if (fixableUnsafe > 0)
    lines.push(
      `${fixableUnsafe} can be fixed with --fix-unsafe; look at them with --fix-unsafe --diff first`,
    )
  return lines.join('\n')
}
