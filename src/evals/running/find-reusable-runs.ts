import { SkillsError } from '../../errors.ts'
import { findSavedRuns, type SavedRun } from '../results/iteration.ts'
import { isGraded, type StartEvent } from './trajectory.ts'

/** The state of a skill and the model that runs of one iteration have in common. */
export interface RunConditions {
  model: string
  /** Digest of the skill without its evals and tests. */
  digest: string
}

/**
 * The runs of an iteration that ended, so that they need not run again. Runs under other conditions
 * are refused: their mean would describe neither.
 */
export function findReusableRuns(iteration: string, conditions: RunConditions): SavedRun[] {
  const runs = findSavedRuns(iteration).filter(({ end }) => isGraded(end))
  for (const { start } of runs) checkConditions(start, conditions)
  return runs
}

export function checkConditions(
  { model, digest }: Pick<StartEvent, 'model' | 'digest'>,
  conditions: RunConditions,
): void {
  if (model !== conditions.model) {
    const message = `The saved runs used the model "${model}", not "${conditions.model}"`
    throw createMixedRunsError(message, `Continue with --model ${model}`)
  }
  if (digest !== conditions.digest) {
    throw createMixedRunsError('The skill has changed since the saved runs', 'Restore the skill')
  }
}

function createMixedRunsError(message: string, advice: string): SkillsError {
  const hint = `${advice}, or run all evals again without --continue`
  return new SkillsError('usage/invalid', message, { hint })
}

/** The first message of the user in a saved run. */
export function getPrompt({ events }: Pick<SavedRun, 'events'>): string | undefined {
  return events.find((each) => each.type === 'user')?.text
}
