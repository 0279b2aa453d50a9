import {
  DIFFERENCE_CODES,
  type DifferenceCode,
  type DifferenceSeverity,
  type SkillDifference,
} from '../../core/comparing/difference.ts'
import type { Finding } from '../../core/lint/finding.ts'
import { renderSarif } from '../../core/lint/report/sarif.ts'
import { describeConclusion, describeDifference } from './describe-difference.ts'
import type { DiffReporter } from './diff-reporter.ts'
import { CLASS_TITLES, DIFFERENCE_TITLES } from './titles.ts'

const LEVELS: Readonly<Record<DifferenceSeverity, Finding['severity']>> = {
  danger: 'error',
  major: 'warning',
  minor: 'info',
  patch: 'info',
}

/** Written by the same code as the SARIF of lint. */
export const sarifReporter: DiffReporter = {
  name: 'sarif',
  summary: 'SARIF 2.1.0, for code scanning',
  render(comparison, { folder, version }) {
    const { differences } = comparison
    return renderSarif(
      {
        findings: differences.map((each) => toFinding(each, folder)),
        suppressed: [],
        failures: [],
        notices: describeConclusion(comparison),
      },
      {
        version,
        readSource: () => undefined,
        folder: 'The folder in which skills diff was run',
        rules: Object.entries(DIFFERENCE_CODES).map(([code, severity]) => ({
          id: code,
          what: DIFFERENCE_TITLES[code as DifferenceCode],
          why: `Class: ${CLASS_TITLES[code.split('/')[0] as keyof typeof CLASS_TITLES]}; severity: ${severity}.`,
          fix: 'Review the difference before the skill is used or published.',
          severity: LEVELS[severity],
          helpUri: `https://unpkg.com/skills-protocol@${version}/docs/comparing.md`,
        })),
      },
    )
  },
}

function toFinding(difference: SkillDifference, folder: string): Finding {
  const { code, severity, place } = difference
  const file = place?.path ?? '.'
  return {
    rule: code,
    severity: LEVELS[severity],
    skill: folder,
    file,
    path: folder === '' || folder === '.' ? file : `${folder}/${file}`,
    // A position in the old text is none in the file that is scanned.
    start: place?.side === 'after' ? place.start : undefined,
    end: place?.side === 'after' ? place.end : undefined,
    message: describeDifference(difference),
    help: undefined,
    related: [],
    fix: undefined,
    edits: [],
  }
}
