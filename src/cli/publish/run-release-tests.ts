import { hash } from 'node:crypto'
import type { ReleaseTests } from '../../core/publishing/sign-release.ts'
import { summarizeTests } from '../../core/signing/statement/test-result.ts'
import { SkillsError } from '../../errors.ts'
import { toJsonReport } from '../../testing/report/json.ts'
import { countCases, type TestReport } from '../../testing/report/test-report.ts'
import { planTests } from '../../testing/running/plan-tests.ts'
import { runTests } from '../../testing/running/run-tests.ts'
import { openTestRuntime } from '../../testing/running/test-runtime.ts'
import { toPrintable } from '../../util/printable.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'
import { formatCount } from '../ui/text.ts'

/** Runs all cases of a skill in sandboxes, and refuses a failed one. No snapshot is written. */
export async function runReleaseTests(
  context: Context,
  { folder, skill }: { folder: string; skill: string },
): Promise<ReleaseTests> {
  const { config } = await openConfig(context)
  const { memoryBytes: maxMemoryBytes } = config.run.limits
  const selection = [{ skill: folder, files: undefined }]
  const plan = await planTests(selection, { docs: false, record: false, maxMemoryBytes })
  const [problem] = plan.problems
  if (problem) throw refuseTests(folder, `a suite is not valid: ${problem.message}`)
  if (plan.cases.length === 0) return { status: 'none', cases: 0, statement: undefined }
  const runtime = openTestRuntime(config, context.sandboxes)
  let report: TestReport
  try {
    report = await runTests(runtime, plan.cases, {
      cwd: context.cwd,
      env: context.env,
      signal: context.signal,
      jobs: undefined,
      repeat: 1,
      retry: 0,
      shuffle: undefined,
      bail: undefined,
      keepIn: undefined,
      snapshots: 'fixed',
      record: false,
    })
  } finally {
    await runtime.close()
  }
  context.signal.throwIfAborted()
  const { failed } = countCases(report)
  const first = report.cases.find(({ status }) => status === 'failed')
  if (failed > 0 || report.isPartial) {
    const name = first ? `, the first is "${toPrintable(first.name)}"` : ''
    throw refuseTests(folder, `${formatCount(failed, 'test')} failed${name}`)
  }
  return { status: 'passed', cases: report.cases.length, statement: describeReport(report, skill) }
}

function describeReport(report: TestReport, skill: string): ReleaseTests['statement'] {
  const text = `${JSON.stringify(toJsonReport(report), null, 2)}\n`
  const digest = `sha256:${hash('sha256', text)}`
  return { result: summarizeTests(report, skill), report: { name: 'report.json', digest } }
}

function refuseTests(folder: string, problem: string): SkillsError {
  return new SkillsError('skill/invalid', `Cannot publish the skill: ${toPrintable(problem)}`, {
    hint: `Type "skills test ${toPrintable(folder)}" for all failures; --no-tests publishes without them`,
  })
}
