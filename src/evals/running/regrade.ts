import type { EvalCase } from '../cases/eval-case.ts'
import type { Judge } from '../graders/judge.ts'
import type { GradedRun } from '../results/benchmark.ts'
import { readIteration } from '../results/iteration.ts'
import { gradeSavedRun } from './run-evals.ts'
import type { EvalRuntime } from './eval-runtime.ts'

/** Grades the saved runs of an iteration again; a model is called only with a judge. */
export async function regradeIteration(
  { iteration, cases }: { iteration: string; cases: readonly EvalCase[] },
  context: { runtime: EvalRuntime; signal: AbortSignal; judge: Judge | undefined },
): Promise<{ runs: GradedRun[]; missing: readonly string[] }> {
  const runs: GradedRun[] = []
  const missing = new Set<string>()
  for (const { folder, start, events } of readIteration(iteration)) {
    if (context.signal.aborted) break
    const evalCase = cases.find(({ id }) => id === start.eval)
    if (!evalCase) {
      missing.add(start.eval)
      continue
    }
    const session = `regrade-${start.eval}-${start.arm}-${start.run}`
    const run = { evalCase, folder, events, arm: start.arm, run: start.run }
    runs.push(await gradeSavedRun(run, { ...context, session }))
  }
  return { runs, missing: [...missing] }
}
