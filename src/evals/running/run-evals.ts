import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import type { Config } from '../../core/config/config.ts'
import { digestFolder } from '../../core/skills/content/read-content.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import type { RunCall } from '../../core/runs/run-call.ts'
import type { EvalCase } from '../cases/eval-case.ts'
import { computeScore, gradeRun, type RunGrades } from '../graders/grade-run.ts'
import type { Judge } from '../graders/judge.ts'
import type { Budget } from '../model/budget.ts'
import { CeilingReachedError } from '../model/budget.ts'
import type { EvalModel } from '../model/eval-model.ts'
import type { GradedRun } from '../results/benchmark.ts'
import {
  getOutputsFolder,
  getRunFolder,
  readSavedVotes,
  saveGrades,
  saveRun,
  type SavedRun,
} from '../results/iteration.ts'
import { collectOutputs } from './collect-outputs.ts'
import { converse } from './converse.ts'
import { findReusableRuns, getPrompt } from './find-reusable-runs.ts'
import { openEvalRuntime, openEvalSession, type EvalRuntime } from './eval-runtime.ts'
import { runInQueue } from './run-in-queue.ts'
import { runInWorkspace } from './run-in-workspace.ts'
import { stageSkillForEvals } from './stage-skill.ts'
import {
  ARMS,
  isGraded,
  listCalls,
  sumUsage,
  type Arm,
  type EndEvent,
  type TrajectoryEvent,
} from './trajectory.ts'

const SCAFFOLD_MS = 60_000

export interface EvalSettings extends Pick<RunCall, 'cwd' | 'env'> {
  config: Config
  signal: AbortSignal
  model: EvalModel
  judge: EvalModel
  budget: Budget
  /** Runs of each arm, for cases without a number of their own. */
  runs: number
  arms: readonly Arm[]
}

interface PlannedConversation {
  evalCase: EvalCase
  arm: Arm
  run: number
}

/**
 * Runs the cases of one skill and saves everything below the folder of an iteration. Runs that it
 * has already are graded, and not repeated.
 */
export async function runEvals(
  { entry, cases, iteration }: { entry: SkillEntry; cases: readonly EvalCase[]; iteration: string },
  settings: EvalSettings,
): Promise<GradedRun[]> {
  const folder = mkdtempSync(join(tmpdir(), 'skills-evals-'))
  const staged = stageSkillForEvals(entry.dir, folder)
  const digest = await digestFolder(staged)
  const runtime = openEvalRuntime(settings.config, { ...settings, roots: [staged] })
  try {
    const saved = findReusableRuns(iteration, { model: settings.model.name, digest })
    const planned = planRuns(cases, settings)
    return await runInQueue(planned, settings.signal, async (each) =>
      runOnce(each, { runtime, entry, digest, iteration, settings, saved }),
    )
  } finally {
    await runtime.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function planRuns(cases: readonly EvalCase[], { runs, arms }: EvalSettings): PlannedConversation[] {
  return cases.flatMap((evalCase) =>
    Array.from({ length: evalCase.runs ?? runs }, (_, at) =>
      ARMS.filter((arm) => arms.includes(arm)).map((arm) => ({ evalCase, arm, run: at + 1 })),
    ).flat(),
  )
}

interface RunContext {
  runtime: EvalRuntime
  entry: SkillEntry
  digest: string
  iteration: string
  settings: EvalSettings
  saved: readonly SavedRun[]
}

async function runOnce(planned: PlannedConversation, context: RunContext): Promise<GradedRun> {
  const { evalCase, arm, run } = planned
  const { runtime, iteration, settings } = context
  const folder = getRunFolder(iteration, { id: evalCase.id, arm, run })
  const session = `${evalCase.id}-${arm}-${run}`
  const reusable = context.saved.find((each) => each.folder === folder)
  const isReusable = reusable !== undefined && getPrompt(reusable) === evalCase.prompt
  const events = isReusable ? reusable.events : await holdConversation(planned, context, session)
  if (!isReusable) {
    rmSync(folder, { recursive: true, force: true })
    await collectOutputs(runtime, session, getOutputsFolder(folder))
    await saveRun(folder, events)
  }
  const { model, judge, budget, signal } = settings
  return await gradeSavedRun(
    { evalCase, folder, events, arm, run },
    { runtime, session, signal, judge: { model: judge ?? model, budget, signal } },
  )
}

async function holdConversation(
  { evalCase, arm, run }: PlannedConversation,
  { runtime, entry, digest, settings }: RunContext,
  id: string,
): Promise<TrajectoryEvent[]> {
  const { model, budget, signal } = settings
  const { env, tools } = evalCase
  const isVisible = (name: string) => arm === 'with_skill' || name !== entry.name
  const session = openEvalSession(runtime, { id, tools, env, isVisible })
  const offered = (await session.tools()).map(({ name }) => name)
  const events: TrajectoryEvent[] = [
    {
      type: 'start',
      eval: evalCase.id,
      arm,
      run,
      model: model.name,
      skill: entry.name,
      digest,
      tools: offered,
    },
  ]
  try {
    const problem = await prepareWorkspace(evalCase, { runtime, id, signal })
    if (problem !== undefined) {
      events.push({ type: 'end', reason: 'model_error', message: problem, duration_ms: 0 })
      return events
    }
    await session.addFiles(
      evalCase.files.map((file) => ({ name: basename(file), data: readFileSync(file) })),
    )
    const { prompt, systemPrompt, maxTurns, timeoutMs } = evalCase
    const onEvent = (event: TrajectoryEvent) => void events.push(event)
    await converse({
      session,
      model,
      budget,
      prompt,
      systemPrompt,
      maxTurns,
      timeoutMs,
      signal,
      onEvent,
    })
    return events
  } finally {
    await session.end()
  }
}

/** Runs the scaffold script of a case in the sandbox; returns the reason of a failure. */
async function prepareWorkspace(
  { scaffold, env }: EvalCase,
  { runtime, id, signal }: { runtime: EvalRuntime; id: string; signal: AbortSignal },
): Promise<string | undefined> {
  if (scaffold === undefined) return undefined
  const { exitCode, output } = await runInWorkspace(runtime, {
    session: id,
    command: 'bash -s',
    stdin: scaffold,
    env,
    timeoutMs: SCAFFOLD_MS,
    signal,
  })
  if (exitCode === 0) return undefined
  return `The scaffold script ended with exit code ${exitCode}: ${output.trim().slice(-200)}`
}

/** A run whose conversation is saved. */
export interface RunToGrade {
  evalCase: EvalCase
  folder: string
  events: readonly TrajectoryEvent[]
  arm: Arm
  run: number
}

/** Grades a saved run and saves its grades. */
export async function gradeSavedRun(
  { evalCase, folder, events, arm, run }: RunToGrade,
  context: {
    runtime: EvalRuntime
    session: string
    signal: AbortSignal
    judge: Judge | undefined
  },
): Promise<GradedRun> {
  const end = events.find((each): each is EndEvent => each.type === 'end')
  const graded: GradedRun = {
    id: evalCase.id,
    arm,
    run,
    reason: end?.reason ?? 'interrupted',
    message: end?.message ?? undefined,
    durationMs: end?.duration_ms ?? 0,
    tokens: sumUsage(events),
    toolCalls: listCalls(events).length,
    results: undefined,
    score: 0,
  }
  if (!isGraded(end)) return graded
  const record = { events, outputs: getOutputsFolder(folder) }
  const judgements = readSavedVotes(folder)
  let grades: RunGrades
  try {
    grades = await gradeRun(evalCase, { ...context, record, arm, judgements })
  } catch (thrown) {
    if (context.signal.aborted) return { ...graded, reason: 'interrupted' }
    if (thrown instanceof CeilingReachedError) return { ...graded, reason: 'ceiling' }
    return { ...graded, message: `It could not be graded: ${(thrown as Error).message}` }
  }
  await saveGrades(folder, grades)
  if (grades.unjudged.length > 0) {
    const message = `${grades.unjudged.length} statements have no votes; add --judge`
    return { ...graded, message }
  }
  return { ...graded, results: grades.results, score: computeScore(grades) }
}
