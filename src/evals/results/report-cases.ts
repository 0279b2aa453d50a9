import { relative } from 'node:path'
import type { CaseReport } from '../../testing/report/test-report.ts'
import type { EvalCase } from '../cases/eval-case.ts'
import type { Arm } from '../running/trajectory.ts'
import type { GradedRun } from './benchmark.ts'

interface ReportOptions {
  skill: string
  cwd: string
  /** The arm that decides; the other one is for comparison. */
  arm: Arm
  /** Least mean score of the runs. */
  threshold: number
  /** Runs of each arm that a case needs; undefined for those that are saved. */
  planned: number | undefined
}

/** Mean score of the graded runs; undefined if none was graded. */
function computeCaseScore(runs: readonly GradedRun[]): number | undefined {
  const own = runs.filter(({ results }) => results !== undefined)
  if (own.length === 0) return undefined
  return own.reduce((sum, { score }) => sum + score, 0) / own.length
}

function countGraded(runs: readonly GradedRun[]): number {
  return runs.filter(({ results }) => results !== undefined).length
}

/** The result of a case for the reporters of tests. */
export function reportCase(
  { id, file, position, tags }: EvalCase,
  runs: readonly GradedRun[],
  { skill, cwd, arm, threshold, planned = 0 }: ReportOptions,
): CaseReport {
  const own = runs.filter((each) => each.arm === arm)
  const score = computeCaseScore(own)
  const isMissing = own.length < planned
  const isGraded = !isMissing && own.every(({ results }) => results !== undefined)
  const hasPassed = isGraded && score !== undefined && score >= threshold
  const missing = {
    expectation: 'run',
    message: `Only ${countGraded(own)} of ${planned} runs ended`,
  }
  const failures = hasPassed
    ? []
    : [...(isMissing ? [missing] : []), ...listFailures(own, score, threshold)]
  return {
    skill,
    suite: 'evals',
    path: relative(cwd, file),
    position,
    name: id,
    tags,
    status: hasPassed ? 'passed' : 'failed',
    attempts: [
      {
        failures: failures.map(({ expectation, message }) => ({
          expectation,
          position,
          message,
          difference: undefined,
        })),
        durationMs: own.reduce((sum, each) => sum + each.durationMs, 0),
        output: '',
        kept: undefined,
      },
    ],
  }
}

function listFailures(
  runs: readonly GradedRun[],
  score: number | undefined,
  threshold: number,
): { expectation: string; message: string }[] {
  const ended = runs.flatMap(({ run, reason, message, results }) =>
    results === undefined
      ? [{ expectation: 'run', message: describeUngraded(run, reason, message) }]
      : [],
  )
  const names = new Set(runs.flatMap(({ results = [] }) => results.map(({ text }) => text)))
  const failed = [...names].flatMap((name) => {
    const results = runs.flatMap(({ results: all = [] }) => all.filter(({ text }) => text === name))
    const passed = results.filter((each) => each.passed).length
    if (passed === results.length) return []
    const evidence = results.find((each) => !each.passed)?.evidence ?? ''
    const message = `Expected "${name}", true in ${passed} of ${results.length} runs: ${evidence}`
    return [{ expectation: name, message }]
  })
  if (ended.length + failed.length > 0) return [...ended, ...failed]
  if (score === undefined) return [{ expectation: 'run', message: 'No run was graded' }]
  if (score >= threshold) return []
  return [{ expectation: 'score', message: `Expected a score of ${threshold}, got ${score}` }]
}

// eslint-disable-next-line max-params -- the run, its end and the message
function describeUngraded(run: number, reason: string, message: string | undefined): string {
  return `Run ${run} was not graded: it ended with ${reason}${message === undefined ? '' : `: ${message}`}`
}
