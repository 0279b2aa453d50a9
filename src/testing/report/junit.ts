import { escapeXml } from '../../util/xml.ts'
import { stripColors } from '../../util/strip-colors.ts'
import { countCases, type CaseAttempt, type CaseReport } from './test-report.ts'
import type { TestReporter } from './test-reporter.ts'
import { renderFailureText } from './failure-text.ts'

export const junitTestReporter: TestReporter = {
  name: 'junit',
  summary: 'JUnit XML: flaky cases have flakyFailure elements',
  describeEnd(report) {
    const suites = new Map<string, CaseReport[]>()
    for (const each of report.cases) {
      suites.set(each.path, [...(suites.get(each.path) ?? []), each])
    }
    const { failed } = countCases(report)
    const head = `<testsuites name="skills test" tests="${report.cases.length}" failures="${failed}" time="${toSeconds(report.durationMs)}">`
    const body = [...suites].map(([path, cases]) => renderSuite(path, cases))
    return ['<?xml version="1.0" encoding="UTF-8"?>', head, ...body, '</testsuites>', ''].join('\n')
  },
}

function renderSuite(path: string, cases: readonly CaseReport[]): string {
  const { failed } = countCases({ cases })
  const name = cases[0] ? `${cases[0].skill} ${cases[0].suite}` : path
  const head = `  <testsuite name="${escapeXml(name)}" file="${escapeXml(path)}" tests="${cases.length}" failures="${failed}">`
  return [head, ...cases.map(renderCase), '  </testsuite>'].join('\n')
}

function renderCase({ name, skill, suite, path, position, status, attempts }: CaseReport): string {
  const time = toSeconds(attempts.reduce((sum, { durationMs }) => sum + durationMs, 0))
  const facts = `name="${escapeXml(name)}" classname="${escapeXml(`${skill}.${suite}`)}" file="${escapeXml(path)}" line="${position.line}" time="${time}"`
  const failed = attempts.filter(({ failures }) => failures.length > 0)
  const elements =
    status === 'flaky'
      ? failed.map((each) => renderFailed('flakyFailure', each, path))
      : failed.map((each, at) => renderFailed(at === 0 ? 'failure' : 'rerunFailure', each, path))
  const output = attempts.at(-1)?.output ?? ''
  if (output !== '') {
    elements.push(`      <system-out>${escapeXml(stripColors(output))}</system-out>`)
  }
  if (elements.length === 0) return `    <testcase ${facts}/>`
  return [`    <testcase ${facts}>`, ...elements, '    </testcase>'].join('\n')
}

// eslint-disable-next-line max-params -- the element, the try and its file
function renderFailed(element: string, { failures }: CaseAttempt, path: string): string {
  const [first] = failures
  const attributes = `type="${escapeXml(first?.expectation ?? '')}" message="${escapeXml(first?.message ?? '')}"`
  const text = failures.map((each) => renderFailureText(path, each)).join('\n')
  return `      <${element} ${attributes}>${escapeXml(text)}</${element}>`
}

function toSeconds(ms: number): string {
  return (ms / 1000).toFixed(3)
}
