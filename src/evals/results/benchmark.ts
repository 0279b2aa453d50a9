import type { GraderResult } from '../graders/check-run.ts'
import { ARMS, type Arm, type ConversationEnd } from '../running/trajectory.ts'
import { summarizeResults } from './iteration.ts'

/** A run with its grades; `results` is undefined if it was not graded. */
export interface GradedRun {
  id: string
  arm: Arm
  run: number
  reason: ConversationEnd
  message: string | undefined
  durationMs: number
  tokens: number
  toolCalls: number
  results: readonly GraderResult[] | undefined
  /** Weighted share of passed graders. */
  score: number
}

interface Distribution {
  mean: number
  stddev: number
  min: number
  max: number
}

/** Summary of one arm. */
export interface ArmSummary {
  pass_rate: Distribution
  time_seconds: Distribution
  tokens: Distribution
}

export type BenchmarkSummary = Partial<Record<Arm, ArmSummary>> & {
  delta?: { pass_rate: number; time_seconds: number; tokens: number }
}

/** Mean, deviation and difference of both arms, from the graded runs. */
export function summarizeRuns(runs: readonly GradedRun[]): BenchmarkSummary {
  const summary: BenchmarkSummary = {}
  for (const arm of ARMS) {
    const own = runs.filter((each) => each.arm === arm && each.results !== undefined)
    if (own.length > 0) summary[arm] = summarizeArm(own)
  }
  const { with_skill: withSkill, without_skill: without } = summary
  if (!withSkill || !without) return summary
  const subtract = (name: keyof ArmSummary) => round(withSkill[name].mean - without[name].mean)
  return {
    ...summary,
    delta: {
      pass_rate: subtract('pass_rate'),
      time_seconds: subtract('time_seconds'),
      tokens: subtract('tokens'),
    },
  }
}

function summarizeArm(runs: readonly GradedRun[]): ArmSummary {
  return {
    pass_rate: describeNumbers(runs.map(({ results = [] }) => summarizeResults(results).pass_rate)),
    time_seconds: describeNumbers(runs.map(({ durationMs }) => durationMs / 1000)),
    tokens: describeNumbers(runs.map(({ tokens }) => tokens)),
  }
}

/** The deviation is that of a sample: n - 1. */
function describeNumbers(values: readonly number[]): Distribution {
  const mean = values.reduce((sum, each) => sum + each, 0) / values.length
  const squares = values.reduce((sum, each) => sum + (each - mean) ** 2, 0)
  const stddev = values.length > 1 ? Math.sqrt(squares / (values.length - 1)) : 0
  const [min, max] = [Math.min(...values), Math.max(...values)]
  return { mean: round(mean), stddev: round(stddev), min: round(min), max: round(max) }
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000
}

/** The content of `benchmark.json`, with the names that public viewers read. */
export function createBenchmark(
  runs: readonly GradedRun[],
  metadata: Readonly<Record<string, unknown>>,
): object {
  return {
    metadata,
    runs: runs.map(({ id, arm, run, results = [], ...rest }) => ({
      eval_id: id,
      configuration: arm,
      run_number: run,
      ended: rest.reason,
      result: {
        ...summarizeResults(results),
        score: rest.score,
        time_seconds: rest.durationMs / 1000,
        tokens: rest.tokens,
        tool_calls: rest.toolCalls,
        errors: rest.message === undefined ? 0 : 1,
      },
      expectations: results.map(({ text, passed, evidence }) => ({ text, passed, evidence })),
      ...(rest.message !== undefined && { notes: [rest.message] }),
    })),
    run_summary: summarizeRuns(runs),
  }
}
