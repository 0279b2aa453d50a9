import type { ConformanceFinding } from '../../conformance/check-runtime.ts'
import { isConformant, countFindings, toDocument, toJunit } from '../../conformance/reports.ts'
import { LEVELS, type Requirement } from '../../conformance/requirement.ts'
import { toPrintable } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { formatTable } from '../ui/table.ts'

export interface ConformanceReportOptions {
  url: string
  format: string
  isStrict: boolean
}

/** A report written during the checks or at their end. */
export interface ConformanceReport {
  onFinding: (finding: ConformanceFinding) => void
  /** Writes the rest and returns the exit code. */
  finish(findings: readonly ConformanceFinding[]): number
}

/** Opens a report on standard output. */
export function openConformanceReport(
  context: Context,
  options: ConformanceReportOptions,
): ConformanceReport {
  const { format, url, isStrict } = options
  const code = (findings: readonly ConformanceFinding[]) =>
    isConformant(findings, isStrict) ? 0 : 1
  if (format === 'pretty') return createPrettyReport(context, options)
  return {
    onFinding: () => {},
    finish(findings) {
      if (format === 'junit') context.print(toJunit(url, findings, isStrict))
      else context.document('skills.conformance/v1', toDocument(url, findings, isStrict))
      return code(findings)
    },
  }
}

function createPrettyReport(
  context: Context,
  { url, isStrict }: ConformanceReportOptions,
): ConformanceReport {
  const { style } = context
  const paint = { passed: style.green, failed: style.red, untried: style.yellow }
  const statusTexts = { passed: 'ok', failed: 'FAILED', untried: 'not tried' }
  let area = ''
  return {
    onFinding({ requirement, verdict, reason }) {
      if (context.global.quiet && verdict !== 'failed') return
      const [own = ''] = requirement.id.split('/')
      if (own !== area) context.print(`${area === '' ? '' : '\n'}${style.bold(own)}`)
      area = own
      const level = requirement.level === 'must' ? '' : style.dim(` (${requirement.level})`)
      context.print(
        `  ${paint[verdict](statusTexts[verdict].padEnd(9))} ${requirement.text}${level}`,
      )
      if (reason === undefined) return
      const from = verdict === 'failed' ? style.dim(`  ${requirement.id}, ${requirement.page}`) : ''
      context.print(`            ${toPrintable(reason)}${from}`)
    },
    finish(findings) {
      const counts = countFindings(findings)
      const parts = LEVELS.flatMap((level) => {
        const { passed, failed, untried } = counts[level]
        const all = passed + failed + untried
        if (all === 0) return []
        const rest = [
          failed > 0 ? `${failed} failed` : '',
          untried > 0 ? `${untried} not tried` : '',
        ]
        const extra = rest.filter(Boolean).join(', ')
        return `${level}: ${passed} of ${all}${extra && ` (${extra})`}`
      })
      const isFine = isConformant(findings, isStrict)
      const verdict = isFine ? style.green('conforms') : style.red('does not conform')
      context.print(`\n${url} ${verdict}; ${parts.join('; ')}`)
      return isFine ? 0 : 1
    },
  }
}

/** Lists the requirements, without a runtime. */
export function showRequirements(context: Context, requirements: readonly Requirement[]): number {
  if (context.global.json) {
    const rows = requirements.map(({ id, level, page, text }) => ({ id, level, page, text }))
    context.document('skills.requirements/v1', { requirements: rows })
    return 0
  }
  const rows = requirements.map(({ id, level, page, text }) => [id, level, page, text])
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  const { cyan, dim } = context.style
  context.print(formatTable(rows, { columns, paint: [cyan, undefined, dim] }))
  return 0
}
