import { existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { writeFileWhole } from '../../util/files/write-file-whole.ts'
import type { GraderResult } from '../graders/check-run.ts'
import type { JudgeVotes } from '../graders/judge.ts'
import { computeScore, type RunGrades } from '../graders/grade-run.ts'
import {
  ARMS,
  formatTrajectory,
  parseTrajectory,
  sumUsage,
  type Arm,
  type EndEvent,
  type StartEvent,
  type TrajectoryEvent,
} from '../running/trajectory.ts'

/** Files of one run, in the layout of the public convention. */
const FILES = {
  trajectory: 'trajectory.jsonl',
  outputs: 'outputs',
  timing: 'timing.json',
  grading: 'grading.json',
} as const

/** A saved run. */
export interface SavedRun {
  folder: string
  start: StartEvent
  end: EndEvent | undefined
  events: readonly TrajectoryEvent[]
}

/** Creates the next `iteration-N` below a folder. */
export function createIteration(folder: string): string {
  mkdirSync(folder, { recursive: true })
  const numbers = readdirSync(folder).map((name) =>
    Number(/^iteration-(\d+)$/.exec(name)?.[1] ?? 0),
  )
  for (let next = Math.max(0, ...numbers) + 1; ; next++) {
    const path = join(folder, `iteration-${next}`)
    try {
      mkdirSync(path)
      return path
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code !== 'EEXIST') throw thrown
    }
  }
}

/** Folder of a run: `eval-<id>/<arm>/run-<number>`; ids keep only safe characters. */
export function getRunFolder(
  iteration: string,
  { id, arm, run }: { id: string; arm: Arm; run: number },
): string {
  return join(iteration, `eval-${toFileName(id)}`, arm, `run-${run}`)
}

function toFileName(id: string): string {
  const name = id.toLowerCase().replace(/[^a-z0-9]+/g, '-')
  return name.replace(/^-|-$/g, '').slice(0, 60) || 'case'
}

export function getOutputsFolder(run: string): string {
  return join(run, FILES.outputs)
}

/** Saves a conversation and its times. The trajectory is last: with it, the run is complete. */
export async function saveRun(folder: string, events: readonly TrajectoryEvent[]): Promise<void> {
  const end = events.find((each) => each.type === 'end')
  const duration = end?.duration_ms ?? 0
  await saveJson(join(folder, FILES.timing), {
    total_tokens: sumUsage(events),
    duration_ms: duration,
    total_duration_seconds: duration / 1000,
  })
  await writeFileWhole(join(folder, FILES.trajectory), formatTrajectory(events))
}

/** Saves the grades of a run; both public names of the list of results are written. */
export async function saveGrades(folder: string, grades: RunGrades): Promise<void> {
  const results = grades.results.map(({ text, passed, evidence }) => ({ text, passed, evidence }))
  await saveJson(join(folder, FILES.grading), {
    assertion_results: results,
    expectations: results,
    summary: summarizeResults(results),
    score: computeScore(grades),
    judgements: grades.judgements,
    ...(grades.unjudged.length > 0 && { unjudged: grades.unjudged }),
  })
}

export function summarizeResults(results: readonly Pick<GraderResult, 'passed'>[]): {
  passed: number
  failed: number
  total: number
  pass_rate: number
} {
  const passed = results.filter((each) => each.passed).length
  const total = results.length
  return { passed, failed: total - passed, total, pass_rate: total === 0 ? 0 : passed / total }
}

/** Votes of an earlier grading of a run. */
export function readSavedVotes(folder: string): readonly JudgeVotes[] {
  const file = join(folder, FILES.grading)
  if (!existsSync(file)) return []
  const saved = JSON.parse(readFileSync(file, 'utf8')) as { judgements?: readonly JudgeVotes[] }
  return saved.judgements ?? []
}

/** Reads the saved runs of an iteration, in a stable order. */
export function readIteration(iteration: string): SavedRun[] {
  const runs = findSavedRuns(iteration)
  if (runs.length > 0) return runs
  throw new SkillsError('usage/invalid', `No saved run is in "${iteration}"`, {
    hint: 'Write the folder of an iteration: --regrade skills-evals/<skill>/iteration-1',
  })
}

/** The saved runs of an iteration, which may have none. */
export function findSavedRuns(iteration: string): SavedRun[] {
  const evals = existsSync(iteration)
    ? readdirSync(iteration).filter((name) => name.startsWith('eval-'))
    : []
  const folders = evals
    .sort()
    .flatMap((name) => ARMS.map((arm) => join(iteration, name, arm)))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
  return folders.flatMap((folder) => readRun(folder) ?? [])
}

function readRun(folder: string): SavedRun | undefined {
  const file = join(folder, FILES.trajectory)
  if (!existsSync(file)) return undefined
  let events: TrajectoryEvent[]
  try {
    events = parseTrajectory(readFileSync(file, 'utf8'))
  } catch (cause) {
    throw new SkillsError('usage/invalid', `The saved run "${file}" is damaged`, {
      hint: 'Remove its folder, or run the evals again',
      cause,
    })
  }
  const start = events.find((each) => each.type === 'start')
  return start && { folder, start, end: events.find((each) => each.type === 'end'), events }
}

/** Writes a JSON file in one step. */
export async function saveJson(file: string, value: unknown): Promise<void> {
  await writeFileWhole(file, `${JSON.stringify(value, null, 2)}\n`)
}
