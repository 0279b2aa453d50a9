import type { SkillComparison } from '../../core/comparing/compare-skills.ts'
import { toSnakeKeys } from '../../util/snake-keys.ts'
import type { DiffReporter } from './diff-reporter.ts'
import { describeDifference } from './describe-difference.ts'
import { toDiffExitStatus } from './exit-status.ts'

export const jsonReporter: DiffReporter = {
  name: 'json',
  summary: 'one JSON document, for programs',
  render: (comparison) =>
    JSON.stringify({ schema: 'skills.diff/v1', ...toDiffRecord(comparison) }, null, 2),
}

/** Every difference with the sentence of the other formats. */
function toDiffRecord(comparison: SkillComparison): object {
  const { before, after, severity, differences } = comparison
  return toSnakeKeys({
    before,
    after,
    severity: severity ?? 'none',
    exitStatus: toDiffExitStatus(severity),
    version: comparison.version,
    widensCapabilities: comparison.widensCapabilities,
    differences: differences.map((each) => ({ ...each, message: describeDifference(each) })),
    leftOut: comparison.leftOut,
    omissions: comparison.omissions,
  }) as object
}
