import { renderJunit, type JunitCase } from '../util/reports/junit.ts'
import type { ConformanceFinding, Verdict } from './check-runtime.ts'
import { LEVELS, type RequirementLevel } from './requirement.ts'

/** Number of requirements by level and verdict. */
export type VerdictCounts = Record<RequirementLevel, Record<Verdict, number>>

export function countFindings(findings: readonly ConformanceFinding[]): VerdictCounts {
  const zeroCounts = () => ({ passed: 0, failed: 0, untried: 0 })
  const counts: VerdictCounts = {
    must: zeroCounts(),
    should: zeroCounts(),
    extension: zeroCounts(),
  }
  for (const { requirement, verdict } of findings) counts[requirement.level][verdict] += 1
  return counts
}

/** True if no `must` requirement failed; if strict, no `should` requirement either. */
export function isConformant(findings: readonly ConformanceFinding[], isStrict: boolean): boolean {
  const counts = countFindings(findings)
  return counts.must.failed === 0 && !(isStrict && counts.should.failed > 0)
}

/** The report as a JSON document. */
export function toDocument(
  url: string,
  findings: readonly ConformanceFinding[],
  isStrict: boolean,
): object {
  return {
    url,
    conforms: isConformant(findings, isStrict),
    counts: countFindings(findings),
    requirements: findings.map(({ requirement, verdict, reason, durationMs }) => {
      const { id, level, page, text } = requirement
      return { id, level, page, text, verdict, reason: reason ?? null, duration_ms: durationMs }
    }),
  }
}

/**
 * JUnit XML with one suite per level. A failure that does not change the exit status is reported as
 * skipped, with its reason.
 */
export function toJunit(
  url: string,
  findings: readonly ConformanceFinding[],
  isStrict: boolean,
): string {
  const suites = LEVELS.map((level) => {
    const levelFindings = findings.filter(({ requirement }) => requirement.level === level)
    const counts = level === 'must' || (level === 'should' && isStrict)
    return { level, levelFindings, counts }
  }).filter(({ levelFindings }) => levelFindings.length > 0)
  const described = suites.map(({ level, levelFindings, counts }) => {
    const failures = counts ? levelFindings.filter(isFailed).length : 0
    const skipped = levelFindings.filter(({ verdict }) => verdict !== 'passed').length - failures
    const numbers = { tests: levelFindings.length, failures, skipped }
    return {
      attributes: { name: `${level} ${url}`, ...numbers },
      cases: levelFindings.map((each) => toRequirementCase(each, counts)),
    }
  })
  const failures = described.reduce((sum, { attributes }) => sum + attributes.failures, 0)
  return renderJunit({ name: 'skills conformance', tests: findings.length, failures }, described)
}

const isFailed = ({ verdict }: ConformanceFinding) => verdict === 'failed'

function toRequirementCase(finding: ConformanceFinding, counts: boolean): JunitCase {
  const { requirement, verdict, reason: message = '', durationMs } = finding
  const { id, text, page: classname } = requirement
  return {
    attributes: { name: `${id}: ${text}`, classname, time: durationMs / 1000 },
    elements:
      verdict === 'passed'
        ? []
        : [{ name: isFailed(finding) && counts ? 'failure' : 'skipped', attributes: { message } }],
  }
}
