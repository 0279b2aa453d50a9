import {
  DIFFERENCE_CODES,
  type DifferenceCode,
  type DifferenceSeverity,
  type SkillDifference,
} from '../../core/comparing/difference.ts'
import type { ReportedFinding } from '../../util/reports/finding.ts'
import { renderSarif } from '../../util/reports/sarif.ts'
import { describeConclusion, describeDifference } from './describe-difference.ts'
import type { DiffReporter } from './diff-reporter.ts'
import { CLASS_TITLES, DIFFERENCE_TITLES } from './titles.ts'

const LEVELS: Readonly<Record<DifferenceSeverity, ReportedFinding['severity']>> = {
  danger: 'error',
  major: 'warning',
  minor: 'info',
  patch: 'info',
}

export const sarifReporter: DiffReporter = {
  name: 'sarif',
  summary: 'SARIF 2.1.0, for code scanning',
  render(comparison, { folder, version }) {
    const { differences } = comparison
    return renderSarif(
      {
        findings: differences.map((each) => toFinding(each, folder)),
        notices: describeConclusion(comparison),
      },
      {
        version,
        folder: 'The folder in which skills diff was run',
        manual: 'comparing.md',
        rules: Object.entries(DIFFERENCE_CODES).map(([code, severity]) => ({
          id: code,
          what: DIFFERENCE_TITLES[code as DifferenceCode],
          why: `Class: ${CLASS_TITLES[code.split('/')[0] as keyof typeof CLASS_TITLES]}; severity: ${severity}.`,
          fix: 'Review the difference before the skill is used or published.',
          severity: LEVELS[severity],
        })),
      },
    )
  },
}

function toFinding(difference: SkillDifference, folder: string): ReportedFinding {
  const { code, severity, place } = difference
  const file = place?.path ?? '.'
  return {
    rule: code,
    severity: LEVELS[severity],
    path: folder === '' || folder === '.' ? file : `${folder}/${file}`,
    // A position in the old text is none in the file that is scanned.
    start: place?.side === 'after' ? place.start : undefined,
    end: place?.side === 'after' ? place.end : undefined,
    message: describeDifference(difference),
    help: undefined,
  }
}
