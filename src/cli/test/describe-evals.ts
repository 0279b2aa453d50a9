import { summarizeRuns, type ArmSummary, type GradedRun } from '../../evals/results/benchmark.ts'
import type { TriggerSummary } from '../../evals/running/run-triggers.ts'
import { ARMS } from '../../evals/running/trajectory.ts'
import { toPrintable } from '../../util/printable.ts'

/** One line per arm, and the difference. */
export function describeBenchmark(runs: readonly GradedRun[]): string {
  const summary = summarizeRuns(runs)
  const lines = ARMS.flatMap((arm) => {
    const own = summary[arm]
    return own ? [describeArm(arm.replace('_', ' '), own)] : []
  })
  if (summary.delta) {
    const { pass_rate: rate, tokens } = summary.delta
    lines.push(`difference     ${formatSign(rate * 100)} %, ${formatSign(tokens)} tokens`)
  }
  return lines.map((line) => `${line}\n`).join('')
}

function describeArm(name: string, { pass_rate: rate, time_seconds: time, tokens }: ArmSummary) {
  const share = `${formatNumber(rate.mean * 100)} % ± ${formatNumber(rate.stddev * 100)}`
  const seconds = `${formatNumber(time.mean)} s`
  return `${name.padEnd(14)} ${share} passed, ${seconds}, ${formatNumber(tokens.mean)} tokens`
}

function formatNumber(value: number): string {
  return String(Math.round(value * 10) / 10)
}

function formatSign(value: number): string {
  return `${value > 0 ? '+' : ''}${formatNumber(value)}`
}

/** One line per query, recall and precision. */
export function describeTriggers({ recall, precision, queries }: TriggerSummary): string {
  const lines = queries.map(({ query, rate, runs }) => {
    const wanted = query.shouldTrigger ? 'should' : 'should not'
    const count = Math.round(rate * runs)
    return `${toPrintable(query.query)} (chosen in ${count} of ${runs} runs, ${wanted})`
  })
  const spell = (value: number | null) =>
    value === null ? 'none' : `${formatNumber(value * 100)} %`
  lines.push(`recall ${spell(recall)}, precision ${spell(precision)}`)
  return lines.map((line) => `${line}\n`).join('')
}
