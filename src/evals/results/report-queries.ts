import { relative } from 'node:path'
import type { CaseReport } from '../../testing/report/test-report.ts'
import type { TriggerSummary } from '../running/run-triggers.ts'

/** The results of trigger evals for the reporters of tests. */
export function reportQueries(
  { queries }: TriggerSummary,
  { skill, cwd }: { skill: string; cwd: string },
): CaseReport[] {
  return queries.map(({ query, rate, runs, planned, durationMs, hasPassed }) => {
    const { position } = query
    const wanted = query.shouldTrigger ? `choose "${skill}"` : `not choose "${skill}"`
    const message =
      runs < planned
        ? `Only ${runs} of ${planned} runs ended`
        : `Expected the model to ${wanted}, it was chosen in ${Math.round(rate * runs)} of ${runs} runs`
    const failure = { expectation: 'should_trigger', position, message, difference: undefined }
    const failures = hasPassed ? [] : [failure]
    return {
      skill,
      suite: 'triggers',
      path: relative(cwd, query.file),
      position,
      name: query.query,
      tags: [],
      status: hasPassed ? 'passed' : 'failed',
      attempts: [{ failures, durationMs, output: '', kept: undefined }],
    }
  })
}

/** The content of `triggers.json`. */
export function createTriggerSummary({ recall, precision, queries }: TriggerSummary): object {
  return {
    recall,
    precision,
    queries: queries.map(({ query, rate, runs, hasPassed }) => ({
      query: query.query,
      should_trigger: query.shouldTrigger,
      trigger_rate: rate,
      runs,
      passed: hasPassed,
    })),
  }
}
