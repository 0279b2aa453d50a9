import { formatCobertura } from './format-cobertura.ts'
import { formatCoverageHtml } from './format-html.ts'
import { formatLcov } from './format-lcov.ts'
import { formatCoverageText } from './format-text.ts'
import type { SkillCoverage } from './coverage-report.ts'

/** A format of coverage reports. It returns text and writes nothing. */
export interface CoverageFormat {
  name: string
  format(skills: readonly SkillCoverage[], options: { cwd: string }): string
}

export const COVERAGE_FORMATS: readonly CoverageFormat[] = [
  { name: 'text', format: formatCoverageText },
  { name: 'lcov', format: formatLcov },
  { name: 'cobertura', format: formatCobertura },
  { name: 'html', format: formatCoverageHtml },
]
