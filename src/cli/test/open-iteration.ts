import { lstatSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'
import type { SkillEntry } from '../../core/skills/repository/repository.ts'
import { SkillsError } from '../../errors.ts'
import { createIteration } from '../../evals/results/iteration.ts'
import { EVAL_RESULTS_FOLDER } from '../../util/searched-folders.ts'
import type { EvalOptions } from './eval-options.ts'

/** The folder of the runs: a new one, or that of `--continue`. Never inside the skill. */
export function openIteration(
  cwd: string,
  { dir, name }: Pick<SkillEntry, 'dir' | 'name'>,
  { continued, output }: Pick<EvalOptions, 'continued' | 'output'>,
): string {
  if (continued === undefined) {
    return createIteration(join(chooseFolder(cwd, dir, output), name))
  }
  const folder = resolve(cwd, continued)
  if (lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()) return folder
  throw new SkillsError('usage/invalid', `There is no folder "${continued}" to continue`, {
    hint: 'Write the folder of an iteration: --continue skills-evals/<skill>/iteration-1',
  })
}

/** Files inside the skill would be published, hashed and mounted with it. */
function chooseFolder(cwd: string, skill: string, output: string | undefined): string {
  const folder = resolve(cwd, output ?? EVAL_RESULTS_FOLDER)
  if (/^\.\.(?:\/|$)/.test(relative(skill, folder))) return folder
  if (output === undefined) return join(dirname(skill), EVAL_RESULTS_FOLDER)
  throw new SkillsError('usage/invalid', `The folder "${output}" is inside the tested skill`, {
    hint: 'Choose a folder beside the skill: --output ../skills-evals',
  })
}
