import { basename, join, relative, resolve } from 'node:path'
import { findTargets } from '../../core/lint/targets.ts'
import { readEntryAt } from '../../core/skills/repository/open-repository.ts'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import { SkillsError } from '../../errors.ts'
import type { ReadEvals } from '../../evals/cases/eval-case.ts'
import { EVALS_FOLDER, readEvals } from '../../evals/cases/find-evals.ts'
import { createBenchmark, type GradedRun } from '../../evals/results/benchmark.ts'
import { saveJson } from '../../evals/results/iteration.ts'
import { reportCase } from '../../evals/results/report-cases.ts'
import { createTriggerSummary, reportQueries } from '../../evals/results/report-queries.ts'
import { openEvalRuntime } from '../../evals/running/eval-runtime.ts'
import { regradeIteration } from '../../evals/running/regrade.ts'
import { runEvals, type EvalSettings } from '../../evals/running/run-evals.ts'
import { runTriggers, summarizeTriggers } from '../../evals/running/run-triggers.ts'
import { compileGlob } from '../../util/glob/glob.ts'
import { toPrintable } from '../../util/printable.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'
import { readEvalOptions, type EvalOptions } from './eval-options.ts'
import { openIteration } from './open-iteration.ts'
import { openEvalModels } from './open-eval-models.ts'
import { readReporters } from './read-test-options.ts'
import { reportEvals, type SkillEvalsResult } from './report-evals.ts'
import { openReportOutput } from './report-output.ts'
import { reportSuiteProblems } from './report-suite-problems.ts'
import { TEST_EXIT } from './run-test-command.ts'

/** A skill with its evals. */
interface SkillEvals extends ReadEvals {
  entry: SkillEntry
}

/** `skills test --evals`: runs the evals of skills with a model, and reports them. */
export async function runEvalsCommand(context: Context, call: CommandLine): Promise<number> {
  context.handleInterruption?.()
  const loaded = await openConfig(context)
  const options = readEvalOptions(call, loaded.config)
  const reporters = readReporters(context, call)
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
  const dirs = skills.map(({ entry }) => entry.dir)
  const { models, budget } = await openEvalModels(options, { cwd: context.cwd, skills: dirs })
  const output = openReportOutput(context, context.global.json ? [] : reporters, dirs)
  const settings = {
    ...options,
    ...models,
    budget,
    config: loaded.config,
    cwd: context.cwd,
    env: context.env,
    signal: context.signal,
  }
  const results: SkillEvalsResult[] = []
  for (const skill of skills) {
    if (context.signal.aborted) break
    results.push(
      options.regrade === undefined
        ? await runSkill(context, skill, settings)
        : await regradeSkill(context, skill, settings),
    )
  }
  const durationMs = performance.now() - startedAt
  return reportEvals(context, { results, budget, durationMs }, { reporters, output })
}

async function readSkills(
  context: Context,
  paths: readonly string[],
  { caseGlob, regrade, continued }: EvalOptions,
): Promise<SkillEvals[]> {
  const folders = omitFixtures(findTargets(context.cwd, paths.length === 0 ? ['.'] : paths))
  if ((regrade ?? continued) !== undefined && folders.length !== 1) {
    const option = regrade === undefined ? '--evals --continue' : '--regrade'
    const message = `Expected one skill with ${option}, got ${folders.length}`
    const hint = `Name the folder of the skill: skills test ${option} <folder> ./skills/greet`
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

type SkillSettings = Omit<EvalOptions, 'model'> & EvalSettings

async function runSkill(
  context: Context,
  { entry, cases, queries }: SkillEvals,
  settings: SkillSettings,
): Promise<SkillEvalsResult> {
  const folder = openIteration(context.cwd, entry, settings)
  const runs = await runEvals({ entry, cases, iteration: folder }, settings)
  const triggers =
    queries.length === 0 || context.signal.aborted
      ? undefined
      : await runTriggers({ entry, queries, iteration: folder }, settings)
  if (triggers && triggers.visible < 2) {
    context.note(`Only one skill is visible: the choice of "${entry.name}" says little`)
  }
  const summary =
    triggers && summarizeTriggers(triggers.runs, { skill: entry.name, planned: settings.runs })
  if (summary) await saveJson(join(folder, 'triggers.json'), createTriggerSummary(summary))
  return await finishSkill(context, { entry, cases, runs, folder, settings, triggers: summary })
}

async function regradeSkill(
  context: Context,
  { entry, cases }: SkillEvals,
  settings: SkillSettings,
): Promise<SkillEvalsResult> {
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
    return await finishSkill(context, {
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
  triggers: SkillEvalsResult['triggers']
}

/** Saves the summary of an iteration. */
async function finishSkill(
  { cwd, signal }: Context,
  { entry, cases, runs, folder, settings, triggers }: FinishedSkill,
): Promise<SkillEvalsResult> {
  const { threshold, budget, model, judge } = settings
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
    await saveJson(join(folder, 'benchmark.json'), createBenchmark(runs, metadata))
  }
  const common = { skill: entry.name, cwd }
  const hasSkill = isRegraded
    ? runs.some((each) => each.arm === 'with_skill')
    : settings.arms.includes('with_skill')
  const arm = hasSkill ? 'with_skill' : 'without_skill'
  const reports = cases.flatMap((each) => {
    const own = runs.filter(({ id }) => id === each.id)
    const planned = isRegraded ? undefined : (each.runs ?? settings.runs)
    return own.length === 0 ? [] : [reportCase(each, own, { ...common, arm, threshold, planned })]
  })
  return {
    skill: entry.name,
    path: entry.dir,
    folder,
    reports: [...reports, ...(triggers ? reportQueries(triggers, common) : [])],
    runs,
    triggers,
    isPartial,
    canContinue: isPartial && !isRegraded,
  }
}
