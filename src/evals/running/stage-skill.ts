import { cpSync, mkdirSync } from 'node:fs'
import { basename, join, relative, sep } from 'node:path'

/** Folders of a skill that a model must not see: they have the expected answers. */
const HIDDEN = new Set(['evals', 'tests', '.git'])

/** Copies a skill without its evals and tests; links stay links. */
export function stageSkillForEvals(folder: string, target: string): string {
  const copy = join(target, basename(folder))
  mkdirSync(target, { recursive: true })
  cpSync(folder, copy, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (source) => !HIDDEN.has(relative(folder, source).split(sep)[0] ?? ''),
  })
  return copy
}
