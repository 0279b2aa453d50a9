import { resolve } from 'node:path'
import { findTargets } from '../../core/lint/targets.ts'
import { digestFolder } from '../../core/skills/content/read-content.ts'
import { readEntryAt } from '../../core/skills/repository/open-repository.ts'
import { SkillsError } from '../../errors.ts'
import { Budget, checkBudget } from '../../evals/model/budget.ts'
import { openModel } from '../../evals/model/open-model.ts'
import { askForProposal } from '../../evolution/ask-model.ts'
import { checkEdits } from '../../evolution/edits.ts'
import { collectFailedRuns, collectSessions, type Failure } from '../../evolution/failures.ts'
import { findRegressions, measureSkill } from '../../evolution/measure.ts'
import { measureEvals } from '../../evolution/measure-evals.ts'
import { listPermissionChanges } from '../../evolution/permissions.ts'
import { saveProposal, useEditedCopy, type Proposal } from '../../evolution/proposal.ts'
import { getFlagOption, getTextOption, type CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { readEvalOptions } from '../test/eval-options.ts'
import { printProposal } from './print-proposal.ts'

/** `skills evolve`: asks a model for a change of a skill, measures it, and saves it. */
export async function proposeChange(context: Context, call: CommandLine): Promise<number> {
  const folder = findSkillFolder(context, call)
  const entry = await readEntryAt(folder)
  const runtime = await openRuntime(context)
  const { config } = runtime
  const sessions = getTextOption(call, 'sessions')
  const failures: Failure[] = [
    ...(await collectFailedRuns(await runtime.runs(), entry)),
    ...(sessions === undefined ? [] : collectSessions(resolve(context.cwd, sessions))),
  ]
  if (failures.length === 0) {
    context.note(`No failed run of ${entry.name} is recorded`)
    context.note('  → Name the saved runs of evals with --sessions, or type "skills runs ls"')
    return 3
  }
  const { model, budget, options } = await openProposer(context, call, { folder, config })
  const base = await digestFolder(folder)
  const { cwd, env, signal } = context
  const { summary, edits } = await askForProposal({ folder, failures }, { model, budget, signal })
  checkEdits(folder, edits)
  const measuring = { config, cwd, env, signal }
  const before = await measureSkill(folder, measuring)
  const measured = await useEditedCopy(folder, edits, async (copy) => ({
    after: await measureSkill(copy, measuring),
    permissions: await listPermissionChanges(folder, copy),
    evals: getFlagOption(call, 'evals')
      ? await compareEvals(folder, copy, {
          ...measuring,
          model,
          judge: model,
          budget,
          runs: options.runs,
          arms: ['with_skill'],
        })
      : undefined,
  }))
  signal.throwIfAborted()
  const { after, permissions, evals } = measured
  const regressions = [
    ...findRegressions(before, after),
    ...(evals && evals.after < evals.before ? ['the score of its evals is lower'] : []),
  ]
  const proposal: Omit<Proposal, 'id'> = {
    skill: entry.name,
    folder,
    base,
    summary,
    edits,
    before,
    after,
    regressions,
    permissions,
    ...(evals && { evals }),
  }
  const saved = saveProposal(config.directories.data, proposal)
  if (context.global.json) context.document('skills.proposal/v1', { ...proposal, id: saved.id })
  else printProposal(context, { ...proposal, id: saved.id })
  return regressions.length > 0 ? 1 : 0
}

function findSkillFolder(context: Context, call: CommandLine): string {
  const [path] = call.args
  if (path === undefined) {
    throw new SkillsError('usage/invalid', 'Expected the folder of a skill', {
      hint: 'Type "skills evolve ./skills/greet --model …"',
    })
  }
  const [folder = '', second] = findTargets(context.cwd, [path])
  if (second !== undefined) {
    throw new SkillsError('usage/invalid', `"${path}" has several skills, expected one`, {
      hint: `Name one of them, such as ${folder}`,
    })
  }
  return folder
}

// eslint-disable-next-line max-params -- both states of the skill
async function compareEvals(
  folder: string,
  copy: string,
  settings: Parameters<typeof measureEvals>[1],
) {
  const before = await measureEvals(folder, settings)
  return { before, after: await measureEvals(copy, settings) }
}

async function openProposer(
  context: Context,
  call: CommandLine,
  { folder, config }: { folder: string; config: Parameters<typeof readEvalOptions>[1] },
) {
  const options = readEvalOptions(call, config)
  if (options.model === undefined) {
    throw new SkillsError('usage/invalid', 'No model is configured', {
      hint: 'Add --model <provider>/<model>, --model script:<file>, or the setting evals.model',
    })
  }
  const model = await openModel(options.model, { cwd: context.cwd, skills: [folder] })
  checkBudget(options.limits, [model])
  return { model, options, budget: new Budget(options.limits) }
}
