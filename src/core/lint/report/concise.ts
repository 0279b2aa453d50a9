import { toPrintable } from '../../../util/printable.ts'
import { summaryOf } from './pretty.ts'
import { placeOf } from './place.ts'
import type { Reporter } from './reporter.ts'

export const conciseReporter: Reporter = {
  name: 'concise',
  summary: 'one line a finding',
  render(result, options) {
    const lines = result.findings.map(
      (each) =>
        `${placeOf(each)}: ${options.paint(each.severity, each.severity)} ${toPrintable(each.message)} [${each.rule}]`,
    )
    return [...lines, summaryOf(result, options)].join('\n')
  },
}
