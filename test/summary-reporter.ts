import { writeFileSync } from 'node:fs'
import { relative } from 'node:path'
import type { Reporter, SerializedError, TestCase, TestModule } from 'vitest/node'
import { NEEDS } from './needs.ts'

const SLOWEST = 10
/** Names of failures that no test has: scripts/test-summary.js knows them. */
const OUTSIDE = 'outside of its tests'
const MS_PER_SECOND = 1000
const SECONDS_PER_MINUTE = 60

interface ReportedTest {
  /** Empty for an error of no known file. */
  file: string
  name: string
  status: 'passed' | 'failed' | 'skipped'
  /** Messages of its errors, or the reason why it was skipped. */
  message: string
}

/** Report for scripts: SKILLS_TEST_REPORT names the file. */
export interface TestReport {
  /** ISO 8601. */
  date: string
  tests: ReportedTest[]
  /** Seconds by file: loading, hooks and tests. */
  seconds: Record<string, number>
}

/** Prints the slowest files, the reasons of skipped tests and the totals as the last lines of `npm test`. */
export class SummaryReporter implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly SerializedError[]): void {
    const report = createReport(modules)
    for (const error of errors) {
      const path = (error as { VITEST_TEST_PATH?: string }).VITEST_TEST_PATH
      const file = path === undefined ? '' : relative(process.cwd(), path)
      addFailure(report, file, error.message)
    }
    // oxlint-disable-next-line node/no-process-env -- set by scripts/test.js
    const { SKILLS_TEST_REPORT: file, SKILLS_TESTS_STARTED: started } = process.env
    if (file) writeFileSync(file, `${JSON.stringify(report)}\n`)
    if (started === undefined) return
    const seconds = Math.round((Date.now() - Number(started)) / MS_PER_SECOND)
    console.log(describeReport(report, seconds).join('\n'))
  }
}

function createReport(modules: readonly TestModule[]): TestReport {
  const report: TestReport = { date: new Date().toISOString(), tests: [], seconds: {} }
  for (const module of modules) {
    const file = relative(module.project.config.root, module.moduleId)
    const { collectDuration, duration, setupDuration } = module.diagnostic()
    report.seconds[file] = (collectDuration + duration + setupDuration) / MS_PER_SECOND
    for (const { message } of module.errors()) addFailure(report, file, message)
    for (const suite of module.children.allSuites())
      for (const { message } of suite.errors()) addFailure(report, file, message)
    for (const test of module.children.allTests()) {
      const { state, errors = [] } = test.result()
      if (state === 'pending' || isLeftOut(test)) continue
      const message = state === 'skipped' ? explainSkip(test) : errors.map(readMessage).join('\n')
      report.tests.push({ file, name: test.fullName, status: state, message })
    }
  }
  return report
}

/** A test that the filter leaves out of a file that runs: "slow && !nightly" leaves out fast and nightly ones. */
function isLeftOut({ tags }: TestCase): boolean {
  const option = '--tags-filter='
  const filter = process.argv.find((argument) => argument.startsWith(option)) ?? option
  const terms = filter.slice(option.length).split(' && ').filter(Boolean)
  return terms.some((term) =>
    term.startsWith('!') ? tags.includes(term.slice(1)) : !tags.includes(term),
  )
}

/** Adds a failure of a hook, of loading a file, or of no known place. */
function addFailure(report: TestReport, file: string, message: string): void {
  report.tests.push({ file, name: OUTSIDE, status: 'failed', message })
}

const readMessage = ({ message }: { message: string }) => message

/** An unmet need, the note of `context.skip`, or its name: "… (not run: reason)", "… (needs root)". */
function explainSkip(test: TestCase): string {
  const unmet = test.tags.flatMap((tag) => NEEDS[tag] ?? []).find(({ isMet }) => !isMet)
  if (unmet) return `${unmet.reason}: ${unmet.remedy}`
  const result = test.result()
  if (result.state === 'skipped' && result.note) return result.note
  const reason = /\((?:not run: |(?=needs ))(.*?)\)(?: |$)/.exec(test.fullName)?.[1]
  return reason ?? `${test.module.relativeModuleId} states no reason`
}

function describeReport({ tests, seconds }: TestReport, total: number): string[] {
  const count = (status: string) => tests.filter((test) => test.status === status).length
  const slowest = Object.entries(seconds)
    .toSorted(([, a], [, b]) => b - a)
    .slice(0, SLOWEST)
  const reasons = new Map<string, number>()
  for (const { status, message } of tests)
    if (status === 'skipped') reasons.set(message, (reasons.get(message) ?? 0) + 1)
  const [minutes, rest] = [Math.floor(total / SECONDS_PER_MINUTE), total % SECONDS_PER_MINUTE]
  return [
    '',
    'Slowest files:',
    ...slowest.map(([file, time]) => `  ${time.toFixed(1)} s  ${file}`),
    ...(reasons.size > 0 ? ['', 'Skipped tests:'] : []),
    ...[...reasons]
      .toSorted(([, a], [, b]) => b - a)
      .map(([reason, number]) => `  ${number}  ${reason}`),
    '',
    `${count('passed')} passed, ${count('failed')} failed, ${count('skipped')} skipped, in ${minutes} min ${rest} s`,
  ]
}
