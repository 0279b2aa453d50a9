import { existsSync, mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { writeFileWhole } from '../../util/files/write-file-whole.ts'
import { checkConditions, type RunConditions } from './find-reusable-runs.ts'
import { formatTrajectory, parseTrajectory, type TrajectoryEvent } from './trajectory.ts'

/** Folder of an iteration that contains the conversations of trigger evals. */
const TRIGGERS_FOLDER = 'triggers'

export async function saveTrigger(
  iteration: string,
  id: string,
  events: readonly TrajectoryEvent[],
): Promise<void> {
  const folder = join(iteration, TRIGGERS_FOLDER)
  mkdirSync(folder, { recursive: true })
  await writeFileWhole(join(folder, `${id}.jsonl`), formatTrajectory(events))
}

/** A saved conversation; undefined if there is none. */
export function readSavedTrigger(
  iteration: string,
  id: string,
  conditions: RunConditions,
): TrajectoryEvent[] | undefined {
  const file = join(iteration, TRIGGERS_FOLDER, `${id}.jsonl`)
  if (!existsSync(file)) return undefined
  let events: TrajectoryEvent[]
  try {
    events = parseTrajectory(readFileSync(file, 'utf8'))
  } catch (cause) {
    const hint = 'Remove it, or run the evals again without --continue'
    throw new SkillsError('usage/invalid', `The saved run "${file}" is damaged`, { hint, cause })
  }
  const start = events.find((each) => each.type === 'start')
  if (start) checkConditions(start, conditions)
  return events
}
