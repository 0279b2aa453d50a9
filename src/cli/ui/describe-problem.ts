import type { RepositoryProblem } from '../../core/skills/repository/repository.ts'
import { toPrintable } from '../../util/printable.ts'
import type { Context } from '../context.ts'

/** One line about an invalid or shadowed skill. */
export function describeRepositoryProblem(problem: RepositoryProblem, context: Context): string {
  const other = problem.other === undefined ? '' : ` (used: ${toPrintable(problem.other)})`
  const label = context.errorStyle.yellow(problem.kind)
  return `${label} ${toPrintable(problem.path)}: ${toPrintable(problem.message)}${other}`
}
