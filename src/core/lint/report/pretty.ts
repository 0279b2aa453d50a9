import { toPrintable } from '../../../util/printable.ts'
import type { LintResult } from '../lint.ts'
import { renderCodeFrame } from './code-frame.ts'
import { formatCount, formatLocation } from './format-location.ts'
import type { Reporter, ReporterOptions } from './reporter.ts'

export const prettyReporter: Reporter = {
  name: 'pretty',
  summary: 'for people: code frames and hints',
  showsSource: true,
  render(result, options) {
    const blocks = result.findings.map((finding) => {
      const { paint } = options
      const head = `${paint('underline', formatLocation(finding))}  ${paint(finding.severity, finding.severity)}  ${toPrintable(finding.message)}  ${paint('dim', finding.rule)}`
      const source = finding.start ? options.readSource(finding.path) : undefined
      const frame = source === undefined ? [] : renderCodeFrame(finding, source, options)
      const help = finding.help ? [`  ${paint('dim', 'help:')} ${toPrintable(finding.help)}`] : []
      const related = finding.related.map(
        (each) => `  ${paint('dim', 'see:')}  ${formatLocation(each)} ${toPrintable(each.message)}`,
      )
      return [head, ...frame, ...help, ...related].join('\n')
    })
    return [...blocks, renderSummary(result, options)].join('\n\n')
  },
}

/** Totals, and the number of findings that --fix can fix. */
export function renderSummary(
  result: LintResult,
  { paint }: Pick<ReporterOptions, 'paint'>,
): string {
  const { errors, warnings, infos, skills, fixableSafe, fixableUnsafe } = result
  const checked = `${formatCount(skills, 'skill')} checked`
  const lines: string[] = []
  if (result.fixed.length > 0) lines.push(`${formatCount(result.fixed.length, 'file')} fixed`)
  if (result.failures.length > 0) {
    lines.push(paint('bold', `Not everything was checked: ${result.failures.length} failed`))
  }
  if (errors + warnings + infos === 0) {
    if (result.failures.length === 0) lines.push(paint('bold', `No problems, ${checked}`))
  } else {
    const counts = [formatCount(errors, 'error'), formatCount(warnings, 'warning')]
    if (infos > 0) counts.push(formatCount(infos, 'info'))
    lines.push(paint('bold', `${counts.join(', ')}, ${checked}`))
  }
  if (fixableSafe > 0) lines.push(`${fixableSafe} can be fixed with --fix`)
  if (fixableUnsafe > 0)
    lines.push(
      `${fixableUnsafe} can be fixed with --fix-unsafe; review them with --fix-unsafe --diff first`,
    )
  return lines.join('\n')
}
