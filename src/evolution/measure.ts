import { lintSkills } from '../core/lint/lint.ts'
import type { RunCall } from '../core/runs/run-call.ts'
import type { Config } from '../core/config/config.ts'
import { planTests } from '../testing/running/plan-tests.ts'
import { runTests } from '../testing/running/run-tests.ts'
import { openTestRuntime } from '../testing/running/test-runtime.ts'

/** Results of lint and tests for one state of a skill. */
export interface Measurement {
  lintErrors: number
  /** Names of the cases, by outcome; `problems` are mistakes in files of cases. */
  passed: readonly string[]
  failed: readonly string[]
  problems: number
}

/** Each case once, without writing anything into the skill. */
const ONE_ROUND = {
  jobs: undefined,
  shuffle: undefined,
  bail: undefined,
  repeat: 1,
  retry: 0,
  keepIn: undefined,
  record: false,
  snapshots: 'fixed',
} as const

/** Lints a state of a skill, and runs its tests in sandboxes. */
export async function measureSkill(
  folder: string,
  {
    config,
    cwd,
    env,
    signal,
  }: { config: Config; signal: AbortSignal } & Pick<RunCall, 'cwd' | 'env'>,
): Promise<Measurement> {
  const { errors } = await lintSkills({ skills: [folder], cwd: folder, config, env })
  const plan = await planTests([{ skill: folder, files: undefined }], {
    maxMemoryBytes: config.run.limits.memoryBytes,
    docs: false,
    record: false,
  })
  const runtime = openTestRuntime(config)
  try {
    const { cases } =
      plan.cases.length === 0
        ? { cases: [] }
        : await runTests(runtime, plan.cases, { ...ONE_ROUND, cwd, env, signal })
    const list = (hasFailed: boolean) =>
      cases
        .filter(({ status }) => (status === 'failed') === hasFailed)
        .map(({ suite, name }) => `${suite} › ${name}`)
    return {
      lintErrors: errors,
      passed: list(false),
      failed: list(true),
      problems: plan.problems.length,
    }
  } finally {
    await runtime.close()
  }
}

/** Reasons for which a state is worse than the one before; a worse state is never applied. */
export function findRegressions(before: Measurement, after: Measurement): string[] {
  const lost = before.passed.filter((name) => !after.passed.includes(name))
  return [
    ...lost.map((name) => `the test "${name}" does not pass any more`),
    ...(after.problems > before.problems ? ['files of tests cannot be read'] : []),
    ...(after.lintErrors > before.lintErrors
      ? [`lint finds ${after.lintErrors} errors instead of ${before.lintErrors}`]
      : []),
  ]
}
