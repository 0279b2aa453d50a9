import { join } from 'node:path'
import type { RunStore } from '../core/runs/history/run-store.ts'
import type { SkillEntry } from '../core/skills/repository/repository.ts'
import { isGraded } from '../evals/running/trajectory.ts'
import { readIteration, readJson } from '../evals/results/iteration.ts'

/** A failed run or a recorded session, as the model reads it. */
export interface Failure {
  source: string
  text: string
}

const MAX_FAILURES = 10
const MAX_CHARACTERS = 8000

/** The newest failed runs of a skill. Their records have no secrets. */
export async function collectFailedRuns(store: RunStore, { name }: SkillEntry): Promise<Failure[]> {
  const { runs } = await store.list({ skill: name, status: 'failed', limit: MAX_FAILURES })
  return runs.map(({ run_id: id, request, error, exit, summary }) => ({
    source: `run ${id}`,
    text: cut(JSON.stringify({ args: request.args, error, exit, summary })),
  }))
}

/** Conversations of an iteration of evals in which a statement failed. */
export function collectSessions(iteration: string): Failure[] {
  const failed = readIteration(iteration).filter(({ folder, end }) => {
    if (!isGraded(end)) return false
    const grades = readJson(join(folder, 'grading.json')) as
      | { summary?: { failed?: number } }
      | undefined
    return (grades?.summary?.failed ?? 0) > 0
  })
  return failed.slice(0, MAX_FAILURES).map(({ folder, start, events }) => ({
    source: `session ${start.eval} (${start.arm}, run ${start.run})`,
    text: cut(JSON.stringify({ events, grading: readJson(join(folder, 'grading.json')) })),
  }))
}

function cut(text: string): string {
  const half = MAX_CHARACTERS / 2
  return text.length <= MAX_CHARACTERS ? text : `${text.slice(0, half)}…${text.slice(-half)}`
}
