import { formatEdits } from '../../evolution/edits.ts'
import type { Proposal } from '../../evolution/proposal.ts'
import { toPrintable, toPrintableLines } from '../../util/printable.ts'
import type { Context } from '../context.ts'

/** Shows the change, the comparison, and separately what needs another consent. */
export function printProposal(context: Context, proposal: Proposal): void {
  const { id, folder, edits, summary, before, after, regressions, permissions, evals } = proposal
  context.print(`Proposal ${id}: ${toPrintable(summary)}\n`)
  context.print(toPrintableLines(formatEdits(folder, edits)))
  context.print(`tests   ${describeTests(before)} → ${describeTests(after)}`)
  context.print(`lint    ${before.lintErrors} errors → ${after.lintErrors} errors`)
  if (evals) context.print(`evals   ${evals.before.toFixed(2)} → ${evals.after.toFixed(2)}`)
  if (permissions.length > 0) {
    context.print('\nIt changes what runs of the skill may do:')
    for (const each of permissions) context.print(`  ${toPrintable(each)}`)
  }
  for (const each of regressions) context.print(`✗ ${toPrintable(each)}`)
  if (before.passed.length + before.failed.length === 0) {
    context.note('The skill has no tests: nothing holds the proposal to its behaviour')
  }
  if (regressions.length === 0) context.note(`To apply it, type "skills evolve apply ${id}"`)
}

function describeTests({ passed, failed }: Proposal['before']): string {
  return `${passed.length} passed, ${failed.length} failed`
}
