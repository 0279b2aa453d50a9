import { renderJunit, type JunitCase, type JunitSuite } from '../../../util/reports/junit.ts'
import type { Finding } from '../finding.ts'
import { formatLocation } from './format-location.ts'
import type { Reporter } from './reporter.ts'

const NAME = 'skills lint'

export const junitReporter: Reporter = {
  name: 'junit',
  summary: 'JUnit XML: one test suite per file, one failure per finding',
  render({ findings, failures }) {
    const byFile = new Map<string, JunitCase[]>()
    for (const each of findings)
      byFile.set(each.path, [...(byFile.get(each.path) ?? []), toFindingCase(each)])
    const suites: JunitSuite[] = [...byFile].map(([name, cases]) => ({
      attributes: { name, tests: cases.length, failures: cases.length },
      cases,
    }))
    const errors = failures.length || undefined
    if (errors) {
      suites.push({
        attributes: { name: 'not checked', tests: errors, failures: 0, errors },
        cases: failures.map(({ path: classname, message }) => ({
          attributes: { name: 'could not check', classname },
          elements: [{ name: 'error', attributes: { message } }],
        })),
      })
    }
    if (suites.length === 0) {
      const cases = [{ attributes: { name: 'no findings', classname: NAME } }]
      suites.push({ attributes: { name: NAME, tests: 1, failures: 0 }, cases })
    }
    const tests = Math.max(1, findings.length + failures.length)
    return renderJunit({ name: NAME, tests, errors, failures: findings.length }, suites)
  },
}

function toFindingCase(finding: Finding): JunitCase {
  const { rule: name, path: classname, severity: type, message, help } = finding
  const text = [formatLocation(finding), message, help].filter(Boolean).join('\n')
  return {
    attributes: { name, classname },
    elements: [{ name: 'failure', attributes: { type, message }, text }],
  }
}
