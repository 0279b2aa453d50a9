import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { readEntryAt } from '../core/skills/repository/open-repository.ts'
import { SkillsError } from '../errors.ts'
import { readEvals } from '../evals/cases/find-evals.ts'
import { runEvals, type EvalSettings } from '../evals/running/run-evals.ts'

/** Mean score of the evals of a state of a skill, with the skill. */
export async function measureEvals(folder: string, settings: EvalSettings): Promise<number> {
  const entry = await readEntryAt(folder)
  const names = [entry.name, entry.name.split('.').at(-1) ?? '', basename(folder)]
  const { cases, problems } = readEvals({ folder, names })
  if (cases.length === 0 || problems.length > 0) {
    throw new SkillsError('usage/invalid', `The skill "${entry.name}" has no valid evals`, {
      hint: 'Type "skills test --evals" to see their mistakes, or leave --evals out',
    })
  }
  const iteration = mkdtempSync(join(tmpdir(), 'skills-evolve-evals-'))
  try {
    const runs = await runEvals({ entry, cases, iteration }, { ...settings, arms: ['with_skill'] })
    const ungraded = runs.find(({ results }) => results === undefined)
    if (ungraded) {
      const reason = ungraded.message ?? ungraded.reason
      throw new SkillsError('usage/invalid', `An eval could not be graded: ${reason}`, {
        hint: 'Type "skills test --evals" to see more',
      })
    }
    return runs.reduce((sum, { score }) => sum + score, 0) / Math.max(1, runs.length)
  } finally {
    rmSync(iteration, { recursive: true, force: true })
  }
}
