import { escapeXml } from '../../../util/xml.ts'
import type { CheckFailure, Finding } from '../finding.ts'
import { formatLocation } from './format-location.ts'
import type { Reporter } from './reporter.ts'

export const junitReporter: Reporter = {
  name: 'junit',
  summary: 'JUnit XML: one test suite per file, one failure per finding',
  render({ findings, failures }) {
    const byFile = new Map<string, Finding[]>()
    for (const finding of findings)
      byFile.set(finding.path, [...(byFile.get(finding.path) ?? []), finding])
    const suites = [...byFile].map(([path, group]) => renderFindingSuite(path, group))
    if (failures.length > 0) suites.push(renderFailureSuite(failures))
    if (suites.length === 0) {
      suites.push(
        '  <testsuite name="skills lint" tests="1" failures="0">\n    <testcase name="no findings" classname="skills lint"/>\n  </testsuite>',
      )
    }
    const errors = failures.length > 0 ? ` errors="${failures.length}"` : ''
    const tests = Math.max(1, findings.length + failures.length)
    return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuites name="skills lint" tests="${tests}"${errors} failures="${findings.length}">\n${suites.join('\n')}\n</testsuites>`
  },
}

function renderFailureSuite(failures: readonly CheckFailure[]): string {
  const cases = failures.map(
    ({ path, message }) =>
      `    <testcase name="could not check" classname="${escapeXml(path)}">\n      <error message="${escapeXml(message)}"/>\n    </testcase>`,
  )
  return `  <testsuite name="not checked" tests="${failures.length}" failures="0" errors="${failures.length}">\n${cases.join('\n')}\n  </testsuite>`
}

function renderFindingSuite(path: string, findings: readonly Finding[]): string {
  const cases = findings.map((finding) => {
    const { rule, severity, message, help } = finding
    const text = [formatLocation(finding), message, help].filter(Boolean).join('\n')
    return `    <testcase name="${escapeXml(rule)}" classname="${escapeXml(path)}">\n      <failure type="${severity}" message="${escapeXml(message)}">${escapeXml(text)}</failure>\n    </testcase>`
  })
  return `  <testsuite name="${escapeXml(path)}" tests="${findings.length}" failures="${findings.length}">\n${cases.join('\n')}\n  </testsuite>`
}
