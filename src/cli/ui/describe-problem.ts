import type { RepositoryProblem } from '../../core/skills/repository/repository.ts'
import { printable } from '../../util/printable.ts'
import type { Context } from '../context.ts'

/** One line about what was found and is no skill, or stands behind another one. */
export function describeProblem(problem: RepositoryProblem, context: Context): string {
  const other = problem.other === undefined ? '' : ` (used: ${printable(problem.other)})`
  const label = context.errorStyle.yellow(problem.kind)
  return `${label} ${printable(problem.path)}: ${printable(problem.message)}${other}`
}
