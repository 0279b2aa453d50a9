import { relative } from 'node:path'
import type { CaseReport } from '../../testing/report/test-report.ts'
import type { Budget } from '../../evals/model/budget.ts'
import { createBenchmark, type GradedRun } from '../../evals/results/benchmark.ts'
import type { TriggerSummary } from '../../evals/running/run-triggers.ts'
import { quoteShellWord } from '../../util/shell-word.ts'
import type { Context } from '../context.ts'
import { describeBenchmark, describeTriggers } from './describe-evals.ts'
import type { ReporterChoice } from './read-test-options.ts'
import type { ReportOutput } from './report-output.ts'
import { TEST_EXIT } from './run-test-command.ts'

/** The outcome of the evals of one skill. */
export interface SkillEvalsResult {
  skill: string
  /** Folder of the skill. */
  path: string
  /** Folder of the iteration. */
  folder: string
  /** Cases and queries, as results of tests. */
  reports: readonly CaseReport[]
  runs: readonly GradedRun[]
  triggers: TriggerSummary | undefined
  isPartial: boolean
  /** True if `--continue` can run the rest. */
  canContinue: boolean
}

export interface EvalsOutcome {
  results: readonly SkillEvalsResult[]
  budget: Budget
  durationMs: number
}

/** Reporters for people: the summary of the runs follows on standard output. */
const SUMMARIZED = new Set(['pretty', 'concise'])

/** Writes the results with all chosen reporters, and returns the exit code. */
export function reportEvals(
  context: Context,
  { results, budget, durationMs }: EvalsOutcome,
  { reporters, output }: { reporters: readonly ReporterChoice[]; output: ReportOutput },
): number {
  const isPartial = context.signal.aborted || results.some((each) => each.isPartial)
  if (context.global.json) {
    const spent = describeSpent(budget)
    context.document('skills.evals/v1', { skills: results.map(toDocument), spent })
  } else {
    const cases = results.flatMap(({ reports }) => reports)
    for (const each of cases) output.addCase(each)
    output.finish({ cases, durationMs, isPartial })
    const isForPeople = reporters.some(
      ({ reporter, file }) => file === undefined && SUMMARIZED.has(reporter.name),
    )
    const target = isForPeople ? context.stdout : context.stderr
    for (const { runs, triggers } of results) {
      target.write(describeBenchmark(runs))
      if (triggers) target.write(describeTriggers(triggers))
    }
  }
  noteResults(context, { results, budget, durationMs })
  if (context.signal.aborted) return TEST_EXIT.interrupted
  const hasFailed = results.some(({ reports }) => reports.some(({ status }) => status === 'failed'))
  return isPartial || hasFailed ? TEST_EXIT.failed : TEST_EXIT.passed
}

function noteResults(context: Context, { results, budget }: EvalsOutcome): void {
  for (const { skill, path, folder, canContinue } of results) {
    const place = relative(context.cwd, folder)
    context.note(`The runs of ${skill} are in ${place}`)
    if (!canContinue) continue
    const [from, of] = [place, relative(context.cwd, path) || '.'].map(quoteShellWord)
    context.note(
      `  → To run the rest, type with the same options: skills test --evals --continue ${from} ${of}`,
    )
  }
  const { tokens, cost_usd: cost } = describeSpent(budget)
  if (tokens > 0) {
    context.note(`${tokens} tokens were used${cost === null ? '' : `, $${cost.toFixed(4)}`}`)
  }
  if (budget.isExhausted) context.note('The ceiling is reached: further requests were not sent')
}

function describeSpent(budget: Budget): { tokens: number; cost_usd: number | null } {
  const { input, output } = budget.spent
  return { tokens: input + output, cost_usd: budget.costUsd ?? null }
}

function toDocument({ skill, folder, reports, runs, triggers, isPartial }: SkillEvalsResult) {
  return {
    skill,
    folder,
    partial: isPartial,
    cases: reports.map(({ name, suite, status, attempts }) => ({
      id: name,
      suite,
      status,
      failures: attempts.flatMap(({ failures }) => failures.map(({ message }) => message)),
    })),
    ...(createBenchmark(runs, {}) as { run_summary: object }),
    ...(triggers && { triggers: { recall: triggers.recall, precision: triggers.precision } }),
  }
}
