import { mkdtempSync, readdirSync, rmdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { countCases, type TestReport } from '../../testing/report/test-report.ts'
import type { SnapshotMode } from '../../testing/running/judge-snapshot.ts'
import {
  planTests,
  type PlannedCase,
  type SkillSelection,
} from '../../testing/running/plan-tests.ts'
import { runTests } from '../../testing/running/run-tests.ts'
import { selectCases } from '../../testing/running/select-cases.ts'
import { openTestRuntime } from '../../testing/running/test-runtime.ts'
import type { Config } from '../../core/config/config.ts'
import { SkillsError } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'
import {
  checkCoverageBackend,
  finishCoverage,
  readCoverageOptions,
  type CoverageOptions,
} from './coverage-options.ts'
import { startLiveProgress } from './live-progress.ts'
import { readTestOptions, type TestOptions } from './read-test-options.ts'
import { openReportOutput } from './report-output.ts'
import { reportSuiteProblems } from './report-suite-problems.ts'
import { selectSuites } from './select-suites.ts'
import { reportSnapshots, selectSnapshotMode } from './snapshot-report.ts'

/** Exit codes of `skills test`. */
export const TEST_EXIT = {
  passed: 0,
  failed: 1,
  malformed: 2,
  nothing: 3,
  interrupted: 130,
} as const

/** A part of a watched test run; by default everything that the command line names. */
interface TestRun {
  signal?: AbortSignal
  selected?: readonly SkillSelection[]
}

/** Runs the cases of skills once, reports them, and returns the exit code. */
export async function runTestCommand(
  context: Context,
  call: CommandLine,
  { signal = context.signal, selected }: TestRun = {},
): Promise<number> {
  context.handleInterruption?.()
  const options = readTestOptions(context, call)
  const snapshots = selectSnapshotMode(context, call)
  const coverage = readCoverageOptions(context, call)
  const selections = selected ?? selectSuites(context, call.args)
  const { config } = await openConfig(context)
  const { memoryBytes: maxMemoryBytes } = config.run.limits
  const plan = await planTests(selections, { ...options, maxMemoryBytes })
  if (plan.skipped > 0) context.note(`Incomplete examples that did not run: ${plan.skipped}`)
  if (plan.problems.length > 0) return reportSuiteProblems(context, plan.problems)
  const cases = chooseCases(plan.cases, options)
  if (cases.length === 0) return reportNothing(context, options.reporters, plan.cases.length)
  const report = await runAndReport(context, cases, {
    config,
    options,
    snapshots,
    coverage,
    signal,
  })
  const checks = [
    reportSnapshots(context, plan.skills, snapshots),
    await finishCoverage(context, coverage),
  ]
  const code = toTestExitCode(report, { options, signal })
  return code === TEST_EXIT.passed && checks.includes(false) ? TEST_EXIT.failed : code
}

/** Selects cases; only those with a cassette are recorded. */
function chooseCases(
  planned: readonly PlannedCase[],
  { selection, record }: TestOptions,
): readonly PlannedCase[] {
  const selected = selectCases(planned, selection)
  if (!record) return selected
  const recorded = selected.filter(({ cassette }) => cassette)
  if (recorded.length > 0) return recorded
  throw new SkillsError('usage/invalid', 'No selected case has a cassette to record', {
    hint: 'Add cassette = true to a case',
  })
}

async function runAndReport(
  context: Context,
  cases: readonly PlannedCase[],
  {
    config,
    options,
    snapshots,
    coverage,
    signal,
  }: {
    config: Config
    options: TestOptions
    snapshots: SnapshotMode
    coverage: CoverageOptions | undefined
    signal: AbortSignal
  },
): Promise<TestReport> {
  checkCoverageBackend(coverage, config.run.backend)
  const { cwd, env } = context
  const { shuffle } = options
  if (shuffle !== undefined) context.note(`Shuffled with the seed ${shuffle}`)
  const dirs = cases.map(({ entry }) => entry.dir)
  const output = openReportOutput(context, options.reporters, dirs)
  const runtime = openTestRuntime(config, context.sandboxes)
  const live = startLiveProgress(context, cases.length)
  const keepIn = options.keep ? mkdtempSync(join(tmpdir(), 'skills-test-kept-')) : undefined
  try {
    const report = await runTests(runtime, cases, {
      ...options,
      cwd,
      env,
      signal,
      snapshots,
      coverage: coverage?.collector,
      keepIn,
      onProgress: (event) => live.onProgress(event),
      onCase: (each) => live.around(() => output.addCase(each)),
    })
    live.stop()
    output.finish(report)
    if (keepIn !== undefined) noteKept(context, report, keepIn)
    if (options.record) noteRecorded(context, report, cases)
    return report
  } finally {
    live.stop()
    await runtime.close()
  }
}

// eslint-disable-next-line max-params -- the report and the cases that it is about
function noteRecorded(
  context: Context,
  { cases }: TestReport,
  planned: readonly PlannedCase[],
): void {
  for (const { suite, testCase, cassette } of planned) {
    const path = relative(context.cwd, suite.file)
    const report = cases.find((each) => each.path === path && each.name === testCase.name)
    const failures = report?.attempts.at(-1)?.failures
    if (!failures || failures.some(({ expectation }) => expectation === 'cassette')) continue
    const file = toPrintable(relative(context.cwd, cassette?.file ?? ''))
    context.note(`Recorded ${file}: review it before you commit it`)
  }
}

/** Prints the command that enters the workspace of each failed case. */
function noteKept(context: Context, { cases }: TestReport, keepIn: string): void {
  for (const { name, attempts } of cases) {
    const kept = attempts.findLast((each) => each.kept !== undefined)?.kept
    if (kept === undefined) continue
    context.note(
      `To enter the workspace of "${toPrintable(name)}", type: cd ${quoteShellWord(kept)}`,
    )
  }
  if (readdirSync(keepIn).length === 0) rmdirSync(keepIn)
}

export function toTestExitCode(
  report: TestReport,
  { options, signal }: { options: Pick<TestOptions, 'failsOnFlaky'>; signal: AbortSignal },
): number {
  if (signal.aborted) return TEST_EXIT.interrupted
  const { failed, flaky } = countCases(report)
  const isFailed = failed > 0 || (options.failsOnFlaky && flaky > 0)
  return isFailed ? TEST_EXIT.failed : TEST_EXIT.passed
}

function reportNothing(
  context: Context,
  reporters: TestOptions['reporters'],
  found: number,
): number {
  // Programs that read a report get an empty one.
  const read = reporters.filter(
    ({ file, reporter }) => file !== undefined || !['pretty', 'concise'].includes(reporter.name),
  )
  openReportOutput(context, read, []).finish({ cases: [], durationMs: 0, isPartial: false })
  const [message, hint] =
    found === 0
      ? ['no case was found', 'Add tests/<topic>.test.toml to a skill; see "skills test --help"']
      : [`none of ${found} cases is selected`, 'Change --filter, --tag or --shard']
  context.note(`Nothing ran: ${message}\n  → ${hint}`)
  return TEST_EXIT.nothing
}
