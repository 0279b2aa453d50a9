import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { findTargets } from '../../core/lint/targets.ts'
import { readEntryAt } from '../../core/skills/repository/open-repository.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import { TEST_REPORTERS } from '../../testing/report/index.ts'
import type { CaseReport } from '../../testing/report/test-report.ts'
import type { ReadEvals } from '../../evals/cases/eval-case.ts'
import { EVALS_FOLDER, readEvals } from '../../evals/cases/find-evals.ts'
import { Budget, checkBudget } from '../../evals/model/budget.ts'
import type { EvalModel } from '../../evals/model/eval-model.ts'
import { openModel } from '../../evals/model/open-model.ts'
import { createBenchmark, type GradedRun } from '../../evals/results/benchmark.ts'
import { createIteration, writeJson } from '../../evals/results/iteration.ts'
import { reportCase } from '../../evals/results/report-cases.ts'
import { openEvalRuntime } from '../../evals/running/eval-runtime.ts'
import { regradeIteration } from '../../evals/running/regrade.ts'
import { runEvals, type EvalSettings } from '../../evals/running/run-evals.ts'
import { runTriggers, summarizeTriggers } from '../../evals/running/run-triggers.ts'
import { formatTrajectory } from '../../evals/running/trajectory.ts'
import { SkillsError } from '../../errors.ts'
import { compileGlob } from '../../util/glob.ts'
import { toPrintable } from '../../util/printable.ts'
import { getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'
import { readEvalOptions, type EvalOptions } from './eval-options.ts'
import { describeBenchmark, describeTriggers } from './describe-evals.ts'
import { reportSuiteProblems } from './report-suite-problems.ts'
import { TEST_EXIT } from './run-test-command.ts'
import { createTestPainter } from './test-painter.ts'

/** A skill with its evals. */
interface SkillEvals extends ReadEvals {
  entry: SkillEntry
}

/** The outcome of the evals of one skill. */
interface SkillResult {
  skill: string
  folder: string
  reports: readonly CaseReport[]
  runs: readonly GradedRun[]
  triggers: ReturnType<typeof summarizeTriggers> | undefined
  isPartial: boolean
}

/** `skills test --evals`: runs the evals of skills with a model, and reports them. */
export async function runEvalsCommand(context: Context, call: CommandLine): Promise<number> {
  context.handleInterruption?.()
  const loaded = await openConfig(context)
  const options = readEvalOptions(call, loaded.config)
  const skills = await readSkills(context, call.args, options)
  const problems = skills.flatMap((each) => each.problems)
  if (problems.length > 0) return reportSuiteProblems(context, problems)
  noteUnmapped(context, skills)
  if (skills.every(({ cases, queries }) => cases.length + queries.length === 0)) {
    context.note('Nothing to run: no eval was found')
    context.note('  → Add evals/evals.json to a skill, or type "skills test --help"')
    return TEST_EXIT.nothing
  }
  const startedAt = performance.now()
  const { models, budget } = await openModels(context, options, skills)
  const settings = {
    ...options,
    ...models,
    budget,
    config: loaded.config,
    cwd: context.cwd,
    env: context.env,
    signal: context.signal,
  }
  const results: SkillResult[] = []
  for (const skill of skills) {
    if (context.signal.aborted) break
    results.push(
      options.regrade === undefined
        ? await runSkill(context, skill, settings)
        : await regradeSkill(context, skill, settings),
    )
  }
  const durationMs = performance.now() - startedAt
  return reportResults(context, call, { results, budget, durationMs })
}

async function readSkills(
  context: Context,
  paths: readonly string[],
  { caseGlob, regrade }: EvalOptions,
): Promise<SkillEvals[]> {
  const folders = omitFixtures(findTargets(context.cwd, paths.length === 0 ? ['.'] : paths))
  if (regrade !== undefined && folders.length !== 1) {
    const message = `Expected one skill with --regrade, got ${folders.length}`
    const hint = 'Name the folder of the skill: skills test --regrade <folder> ./skills/greet'
    throw new SkillsError('usage/invalid', message, { hint })
  }
  const isSelected = caseGlob === undefined ? () => true : compileGlob(caseGlob)
  return await Promise.all(
    folders.map(async (folder) => {
      const entry = await readEntryAt(folder)
      const names = [entry.name, entry.name.split('.').at(-1) ?? '', basename(folder)]
      const read = readEvals({ folder, names })
      const queries = caseGlob === undefined ? read.queries : []
      return { ...read, entry, cases: read.cases.filter(({ id }) => isSelected(id)), queries }
    }),
  )
}

/** Skills among the files of another skill's evals are not tested themselves. */
function omitFixtures(folders: readonly string[]): string[] {
  const isFixture = (folder: string, other: string) =>
    folder.startsWith(`${join(other, EVALS_FOLDER)}/`)
  return folders.filter((folder) => !folders.some((other) => isFixture(folder, other)))
}

function noteUnmapped(context: Context, skills: readonly SkillEvals[]): void {
  for (const { file, position, message } of skills.flatMap((each) => each.unmapped)) {
    const place = `${toPrintable(relative(context.cwd, file))}:${position.line}:${position.column}`
    context.note(`Not mapped: ${place}: ${toPrintable(message)}`)
  }
}

type Models = Pick<EvalSettings, 'model' | 'judge'>

/** Opens the models; a regrading without a judge has none. */
async function openModels(
  context: Context,
  { model: name, judgeModel, limits, regrade, mayJudge }: EvalOptions,
  skills: readonly SkillEvals[],
): Promise<{ models: Models; budget: Budget }> {
  const budget = new Budget(limits)
  if (regrade !== undefined && !mayJudge) return { models: NO_MODELS, budget }
  if (name === undefined) {
    throw new SkillsError('usage/invalid', 'No model is configured for evals', {
      hint: 'Add --model <provider>/<model>, --model script:<file>, or the setting evals.model',
    })
  }
  const options = { cwd: context.cwd, skills: skills.map(({ entry }) => entry.dir) }
  const model = await openModel(name, options)
  const judge = judgeModel === undefined ? model : await openModel(judgeModel, options)
  checkBudget(limits, [model, judge])
  return { models: { model, judge }, budget }
}

const UNUSED_MODEL: EvalModel = {
  name: 'none',
  isFree: true,
  respond: async () => {
    throw new SkillsError('usage/invalid', 'No model may be called without --judge')
  },
}
const NO_MODELS: Models = { model: UNUSED_MODEL, judge: UNUSED_MODEL }

type SkillSettings = Omit<EvalOptions, 'model'> & EvalSettings

async function runSkill(
  context: Context,
  { entry, cases, queries }: SkillEvals,
  settings: SkillSettings,
): Promise<SkillResult> {
  const folder = createIteration(resolve(context.cwd, settings.output, entry.name))
  const runs = await runEvals({ entry, cases, iteration: folder }, settings)
  const triggers =
    queries.length === 0 || context.signal.aborted
      ? undefined
      : await runTriggers({ entry, queries }, settings)
  if (triggers && triggers.visible < 2) {
    context.note(`Only one skill is visible: the choice of "${entry.name}" says little`)
  }
  const summary = triggers && summarizeTriggers(triggers.runs, entry.name)
  if (triggers && summary) {
    mkdirSync(join(folder, 'triggers'))
    for (const { events } of triggers.runs) {
      const [start] = events
      const name = start?.type === 'start' ? start.eval : 'trigger'
      writeFileSync(join(folder, 'triggers', `${name}.jsonl`), formatTrajectory(events))
    }
    writeJson(join(folder, 'triggers.json'), {
      recall: summary.recall,
      precision: summary.precision,
      queries: summary.queries.map(({ query, ...rest }) => ({
        query: query.query,
        should_trigger: query.shouldTrigger,
        trigger_rate: rest.rate,
        runs: rest.runs,
        passed: rest.hasPassed,
      })),
    })
  }
  return finishSkill(context, { entry, cases, runs, folder, settings, triggers: summary })
}

async function regradeSkill(
  context: Context,
  { entry, cases }: SkillEvals,
  settings: SkillSettings,
): Promise<SkillResult> {
  const folder = resolve(context.cwd, settings.regrade ?? '')
  const runtime = openEvalRuntime(settings.config, { ...settings, roots: [entry.dir] })
  try {
    const { judge: model, budget, signal, mayJudge } = settings
    const judge = mayJudge ? { model, budget, signal } : undefined
    const { runs, missing } = await regradeIteration(
      { iteration: folder, cases },
      { runtime, signal, judge },
    )
    for (const id of missing) context.note(`The eval "${toPrintable(id)}" does not exist any more`)
    const graded = cases.filter(({ id }) => runs.some((each) => each.id === id))
    return finishSkill(context, {
      entry,
      cases: graded,
      runs,
      folder,
      settings,
      triggers: undefined,
    })
  } finally {
    await runtime.close()
  }
}

interface FinishedSkill extends Pick<SkillEvals, 'entry' | 'cases'> {
  runs: readonly GradedRun[]
  folder: string
  settings: SkillSettings
  triggers: SkillResult['triggers']
}

/** Saves the summary of an iteration. */
function finishSkill(
  { cwd, signal }: Context,
  { entry, cases, runs, folder, settings, triggers }: FinishedSkill,
): SkillResult {
  const { threshold, budget, model, judge } = settings
  const options = { skill: entry.name, cwd, threshold }
  const isRegraded = settings.regrade !== undefined
  const isPartial = signal.aborted || budget.isExhausted
  if (runs.length > 0) {
    const metadata = {
      skill_name: entry.name,
      executor_model: isRegraded ? 'saved runs' : model.name,
      analyzer_model: judge.name,
      timestamp: new Date().toISOString(),
      evals_run: cases.map(({ id }) => id),
      runs_per_configuration: settings.runs,
      is_partial: isPartial,
    }
    writeJson(join(folder, 'benchmark.json'), createBenchmark(runs, metadata))
  }
  const reports = cases.map((each) =>
    reportCase(
      each,
      runs.filter(({ id }) => id === each.id),
      options,
    ),
  )
  return { skill: entry.name, folder, reports, runs, triggers, isPartial }
}

interface EvalOutcome {
  results: readonly SkillResult[]
  budget: Budget
  durationMs: number
}

function reportResults(context: Context, call: CommandLine, outcome: EvalOutcome): number {
  const { results, budget } = outcome
  if (context.global.json) {
    const spent = describeSpent(budget)
    context.document('skills.evals/v1', { skills: results.map(toDocument), spent })
  } else printResults(context, call, outcome)
  if (budget.isExhausted) context.note('The ceiling is reached: further requests were not sent')
  if (context.signal.aborted) return TEST_EXIT.interrupted
  return results.some(hasFailed) ? TEST_EXIT.failed : TEST_EXIT.passed
}

function hasFailed({ isPartial, reports, triggers }: SkillResult): boolean {
  return (
    isPartial ||
    reports.some(({ status }) => status === 'failed') ||
    triggers?.queries.some(({ hasPassed }) => !hasPassed) === true
  )
}

function printResults(
  context: Context,
  call: CommandLine,
  { results, budget, durationMs }: EvalOutcome,
): void {
  const cases = results.flatMap(({ reports }) => reports)
  const isPartial = context.signal.aborted || results.some((each) => each.isPartial)
  const painter = createTestPainter(context)
  const name = getTextOption(call, 'reporter') ?? 'pretty'
  const reporter = TEST_REPORTERS.find((each) => each.name === name)
  const ended = reporter?.describeEnd({ cases, durationMs, isPartial }, painter) ?? ''
  const lines = cases.map((each) => reporter?.describeCase?.(each, painter) ?? '')
  context.stdout.write([...lines, ...(cases.length > 0 ? [ended] : [])].join(''))
  for (const { runs, triggers, skill, folder } of results) {
    context.stdout.write(describeBenchmark(runs))
    if (triggers) context.stdout.write(describeTriggers(triggers))
    context.note(`The runs of ${skill} are in ${relative(context.cwd, folder)}`)
  }
  const { tokens, cost_usd: cost } = describeSpent(budget)
  if (tokens > 0) {
    context.note(`${tokens} tokens were used${cost === null ? '' : `, $${cost.toFixed(4)}`}`)
  }
}

function describeSpent(budget: Budget): { tokens: number; cost_usd: number | null } {
  const { input, output } = budget.spent
  return { tokens: input + output, cost_usd: budget.costUsd ?? null }
}

function toDocument({ skill, folder, reports, runs, triggers }: SkillResult): object {
  return {
    skill,
    folder,
    cases: reports.map(({ name, status, attempts }) => ({
      id: name,
      status,
      failures: attempts.flatMap(({ failures }) => failures.map(({ message }) => message)),
    })),
    ...(createBenchmark(runs, {}) as { run_summary: object }),
    ...(triggers && { triggers: { recall: triggers.recall, precision: triggers.precision } }),
  }
}
