import { printable } from '../../util/printable.ts'
import type { Context } from '../context.ts'

/** A sentence and the line that says what to type. */
interface Failure {
  message: string
  hint?: string | undefined
}

/** Says on standard error what went wrong beside a result; without it the result would be a lie. */
export function reportFailures(context: Context, failures: readonly Failure[]): void {
  const { errorStyle } = context
  for (const { message, hint } of failures) {
    context.stderr.write(`${errorStyle.red('error')} ${printable(message)}\n`)
    if (hint) context.stderr.write(`  ${errorStyle.dim('→')} ${printable(hint)}\n`)
  }
}
