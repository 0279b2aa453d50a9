import { toPrintable } from '../../../util/printable.ts'
import { renderSummary } from './pretty.ts'
import { formatLocation } from './format-location.ts'
import type { Reporter } from './reporter.ts'

export const conciseReporter: Reporter = {
  name: 'concise',
  summary: 'one line per finding',
  render(result, options) {
    const lines = result.findings.map(
      (each) =>
        `${formatLocation(each)}: ${options.paint(each.severity, each.severity)} ${toPrintable(each.message)} [${each.rule}]`,
    )
    return [...lines, renderSummary(result, options)].join('\n')
  },
}
