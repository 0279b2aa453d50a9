import { toPrintable } from '../../../util/printable.ts'
import { formatLocation } from './format-location.ts'
import type { Reporter } from './reporter.ts'

export const agentReporter: Reporter = {
  name: 'agent',
  summary: 'terse, for models: one line per finding, with its fix',
  render(result) {
    const failed = result.failures.map((each) => `not checked: ${toPrintable(each.message)}`)
    if (result.findings.length + failed.length === 0) return `ok ${result.skills} skills`
    const lines = result.findings.map((each) => {
      const fix = each.fix === 'safe' ? ' (--fix)' : each.fix === 'unsafe' ? ' (--fix-unsafe)' : ''
      const help = each.help ? ` -> ${toPrintable(each.help)}` : ''
      return `${formatLocation(each)} ${each.severity} ${each.rule}: ${toPrintable(each.message)}${help}${fix}`
    })
    return [
      ...lines,
      ...failed,
      `${result.errors} errors ${result.warnings} warnings ${result.infos} infos`,
    ].join('\n')
  },
}
