import { relative } from 'node:path'
import type { CaseReport } from '../../testing/report/test-report.ts'
import type { EvalCase } from '../cases/eval-case.ts'
import type { GradedRun } from './benchmark.ts'

interface ReportOptions {
  skill: string
  cwd: string
  /** Least mean score of the runs with the skill. */
  threshold: number
}

/** Mean score of the runs of a case with the skill; undefined if none was graded. */
export function computeCaseScore(runs: readonly GradedRun[]): number | undefined {
  const own = runs.filter(({ arm, results }) => arm === 'with_skill' && results !== undefined)
  if (own.length === 0) return undefined
  return own.reduce((sum, { score }) => sum + score, 0) / own.length
}

/** The result of a case for the reporters of tests: only the runs with the skill count. */
export function reportCase(
  { id, file, position, tags }: EvalCase,
  runs: readonly GradedRun[],
  { skill, cwd, threshold }: ReportOptions,
): CaseReport {
  const own = runs.filter(({ arm }) => arm === 'with_skill')
  const score = computeCaseScore(own)
  const hasPassed =
    score !== undefined && score >= threshold && own.every(({ results }) => results !== undefined)
  const failures = hasPassed ? [] : listFailures(own, score, threshold)
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
  if (ended.length + failed.length > 0 || score === undefined) {
    return ended.length + failed.length > 0
      ? [...ended, ...failed]
      : [{ expectation: 'run', message: 'No run was graded' }]
  }
  return [{ expectation: 'score', message: `Expected a score of ${threshold}, got ${score}` }]
}

// eslint-disable-next-line max-params -- the run, its end and the message
function describeUngraded(run: number, reason: string, message: string | undefined): string {
  return `Run ${run} was not graded: it ended with ${reason}${message === undefined ? '' : `: ${message}`}`
}
