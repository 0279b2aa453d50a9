import type { CheckFailure } from '../../core/lint/finding.ts'
import { printable } from '../../util/printable.ts'
import type { Context } from '../context.ts'

/** Says on standard error what could not be checked; a clean report beside it would be a lie. */
export function reportFailures(context: Context, failures: readonly CheckFailure[]): void {
  const { errorStyle } = context
  for (const { message, hint } of failures) {
    context.stderr.write(`${errorStyle.red('error')} ${printable(message)}\n`)
    if (hint) context.stderr.write(`  ${errorStyle.dim('→')} ${printable(hint)}\n`)
  }
}
