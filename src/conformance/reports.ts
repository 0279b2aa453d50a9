import { escapeXml } from '../util/xml.ts'
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
  const failed = suites.flatMap(({ levelFindings, counts }) =>
    counts ? levelFindings.filter(isFailed) : [],
  )
  const head = `<testsuites name="skills conformance" tests="${findings.length}" failures="${failed.length}">`
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    head,
    ...suites.map(({ level, levelFindings, counts }) =>
      renderSuite(`${level} ${url}`, levelFindings, counts),
    ),
    '</testsuites>',
  ].join('\n')
}

const isFailed = ({ verdict }: ConformanceFinding) => verdict === 'failed'

// eslint-disable-next-line max-params -- the name, its findings and whether failures count
function renderSuite(
  name: string,
  findings: readonly ConformanceFinding[],
  counts: boolean,
): string {
  const failed = counts ? findings.filter(isFailed).length : 0
  const skipped = findings.filter(({ verdict }) => verdict !== 'passed').length - failed
  const cases = findings.map((finding) => renderTestCase(finding, counts))
  const numbers = `tests="${findings.length}" failures="${failed}" skipped="${skipped}"`
  return `  <testsuite name="${escapeXml(name)}" ${numbers}>\n${cases.join('\n')}\n  </testsuite>`
}

function renderTestCase(
  { requirement, verdict, reason, durationMs }: ConformanceFinding,
  counts: boolean,
): string {
  const { id, text, page } = requirement
  const attributes = `name="${escapeXml(`${id}: ${text}`)}" classname="${escapeXml(page)}" time="${durationMs / 1000}"`
  if (verdict === 'passed') return `    <testcase ${attributes}/>`
  const message = escapeXml(reason ?? '')
  const inner =
    verdict === 'failed' && counts
      ? `<failure message="${message}"/>`
      : `<skipped message="${message}"/>`
  return `    <testcase ${attributes}>${inner}</testcase>`
}
