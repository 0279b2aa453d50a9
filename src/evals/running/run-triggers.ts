import { mkdtempSync, readdirSync, rmSync, existsSync, mkdirSync, readFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { digestFolder } from '../../core/skills/content/read-content.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import { isTable } from '../../core/testing/document/field.ts'
import type { Plain } from '../../core/skills/manifest/manifest.ts'
import { DEFAULT_TIMEOUT_MS, type TriggerQuery } from '../cases/eval-case.ts'
import { converse } from './converse.ts'
import { openEvalRuntime, openEvalSession } from './eval-runtime.ts'
import type { EvalSettings } from './run-evals.ts'
import { getPrompt, checkConditions, type RunConditions } from './find-reusable-runs.ts'
import { runInQueue } from './run-in-queue.ts'
import { stageSkillForEvals } from './stage-skill.ts'
import {
  type EndEvent,
  type TrajectoryCall,
  type TrajectoryEvent,
  formatTrajectory,
  parseTrajectory,
} from './trajectory.ts'
import { SkillsError } from '../../errors.ts'
import { writeFileWhole } from '../../util/files/write-file-whole.ts'

/** Requests to the model in which it may choose a skill; other tools do not end them. */
const MAX_TURNS = 8
const MARKERS = ['SKILL.md', 'skill.toml']
const MAX_NEIGHBOURS = 50

/** The choice of one conversation; null if the model chose no skill. */
export interface TriggerRun {
  query: TriggerQuery
  run: number
  chosen: string | null
  /** Undefined if the conversation came to its end. */
  problem: string | undefined
  durationMs: number
}

interface TriggerPlan {
  entry: SkillEntry
  queries: readonly TriggerQuery[]
  /** Folder in which each conversation is saved as it ends. */
  iteration: string
}

/**
 * Asks a model each query with several skills visible, and records its first choice of a skill.
 * Conversations that the iteration has already are not repeated.
 */
export async function runTriggers(
  { entry, queries, iteration }: TriggerPlan,
  settings: EvalSettings,
): Promise<{ runs: TriggerRun[]; visible: number }> {
  const folder = mkdtempSync(join(tmpdir(), 'skills-evals-'))
  const staged = stageSkillForEvals(entry.dir, folder)
  const roots = [staged, ...findNeighbours(entry.dir), ...settings.config.roots]
  const runtime = openEvalRuntime(settings.config, { ...settings, roots })
  try {
    const visible = (await runtime.test.services.repository.list()).length
    const planned = queries.flatMap((query) =>
      Array.from({ length: settings.runs }, (_, at) => ({ query, run: at + 1 })),
    )
    const digest = await digestFolder(staged)
    const conditions = { model: settings.model.name, digest }
    const runs = await runInQueue(planned, settings.signal, async ({ query, run }) => {
      const id = `trigger-${queries.indexOf(query) + 1}-${run}`
      const saved = readSavedTrigger(iteration, id, conditions)
      if (saved && getPrompt({ events: saved }) === query.query) {
        const ended = describeTrigger({ query, run }, saved)
        if (ended.problem === undefined) return ended
      }
      const events = await askQuery({ query, run, id, entry, digest }, runtime, settings)
      await saveTrigger(iteration, id, events)
      return describeTrigger({ query, run }, events)
    })
    return { runs, visible }
  } finally {
    await runtime.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Skills in the folder that contains the skill. */
function findNeighbours(skill: string): string[] {
  const parent = dirname(skill)
  return readdirSync(parent, { withFileTypes: true })
    .filter((each) => each.isDirectory() && join(parent, each.name) !== skill)
    .map((each) => join(parent, each.name))
    .filter((folder) => {
      try {
        return readdirSync(folder).some((name) => MARKERS.includes(name))
      } catch {
        return false
      }
    })
    .slice(0, MAX_NEIGHBOURS)
}

interface PlannedTrigger extends Pick<TriggerRun, 'query' | 'run'> {
  id: string
  entry: SkillEntry
  digest: string
}

async function askQuery(
  { query, run, id, entry, digest }: PlannedTrigger,
  runtime: ReturnType<typeof openEvalRuntime>,
  { model, budget, signal }: EvalSettings,
): Promise<TrajectoryEvent[]> {
  const isVisible = () => true
  const session = openEvalSession(runtime, { id, tools: undefined, env: {}, isVisible })
  const tools = (await session.tools()).map(({ name }) => name)
  const common = { eval: id, arm: 'with_skill', run, model: model.name } as const
  const events: TrajectoryEvent[] = [{ type: 'start', ...common, skill: entry.name, digest, tools }]
  try {
    await converse({
      session,
      model,
      budget,
      prompt: query.query,
      systemPrompt: undefined,
      maxTurns: MAX_TURNS,
      timeoutMs: DEFAULT_TIMEOUT_MS,
      signal,
      onEvent: (event) => void events.push(event),
      isDone: (calls) => findChosenSkill(calls) !== undefined,
    })
  } finally {
    await session.end()
  }
  return events
}

function describeTrigger(
  { query, run }: Pick<TriggerRun, 'query' | 'run'>,
  events: readonly TrajectoryEvent[],
): TriggerRun {
  const calls = events.flatMap((each) => (each.type === 'assistant' ? each.calls : []))
  const end = events.find((each): each is EndEvent => each.type === 'end')
  const isEnded = end && ['completed', 'chosen', 'max_turns'].includes(end.reason)
  const problem = isEnded ? undefined : (end?.message ?? end?.reason ?? 'interrupted')
  return {
    query,
    run,
    chosen: findChosenSkill(calls) ?? null,
    problem,
    durationMs: end?.duration_ms ?? 0,
  }
}

/** The skill of the first call that names one. */
function findChosenSkill(calls: readonly TrajectoryCall[]): string | undefined {
  for (const { name, arguments: args } of calls) {
    const key = NAME_PARAMS.get(name)
    if (key === undefined || !isTable(args as Plain)) continue
    const value = (args as Record<string, unknown>)[key]
    if (typeof value === 'string' && value.trim() !== '') return value.trim()
  }
  return undefined
}

/** Parameters that name a skill, by tool. */
const NAME_PARAMS: ReadonlyMap<string, string> = new Map([
  ['skill_load', 'skill'],
  ['skill_run', 'skill'],
  ['skill_select_docs', 'skill'],
  ['skill_list_docs', 'skill'],
  ['execute_skill', 'name'],
])

/** How well a model chooses a skill. */
export interface TriggerSummary {
  /** Share of the runs that should choose the skill and do; null without such runs. */
  recall: number | null
  /** Share of the runs that choose the skill and should; null if none does. */
  precision: number | null
  queries: readonly {
    query: TriggerQuery
    rate: number
    /** Runs that came to their end, of those that were planned. */
    runs: number
    planned: number
    durationMs: number
    hasPassed: boolean
  }[]
}

/** A query passes if most of its runs choose as they should. */
export function summarizeTriggers(
  runs: readonly TriggerRun[],
  { skill, planned }: { skill: string; planned: number },
): TriggerSummary {
  const ended = runs.filter(({ problem }) => problem === undefined)
  const hits = ended.filter(({ chosen }) => chosen === skill)
  const wanted = ended.filter(({ query }) => query.shouldTrigger)
  const right = hits.filter(({ query }) => query.shouldTrigger)
  const queries = [...new Set(runs.map(({ query }) => query))].map((query) => {
    const own = ended.filter((each) => each.query === query)
    const rate = own.filter(({ chosen }) => chosen === skill).length / own.length
    const hasPassed = own.length >= planned && (query.shouldTrigger ? rate > 0.5 : rate < 0.5)
    const durationMs = own.reduce((sum, each) => sum + each.durationMs, 0)
    const known = own.length === 0 ? 0 : rate
    return { query, rate: known, runs: own.length, planned, durationMs, hasPassed }
  })
  return {
    recall: wanted.length === 0 ? null : right.length / wanted.length,
    precision: hits.length === 0 ? null : right.length / hits.length,
    queries,
  }
}

/** Folder of an iteration that contains the conversations of trigger evals. */
const TRIGGERS_FOLDER = 'triggers'

async function saveTrigger(
  iteration: string,
  id: string,
  events: readonly TrajectoryEvent[],
): Promise<void> {
  const folder = join(iteration, TRIGGERS_FOLDER)
  mkdirSync(folder, { recursive: true })
  await writeFileWhole(join(folder, `${id}.jsonl`), formatTrajectory(events))
}

/** A saved conversation; undefined if there is none. */
function readSavedTrigger(
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
