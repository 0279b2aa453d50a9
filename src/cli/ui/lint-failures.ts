import { printable } from '../../util/printable.ts'
import { fitted, type Context } from '../context.ts'

/** A sentence and the line that says what to type. */
interface Failure {
  message: string
  hint?: string | undefined
}

/** Says on standard error what went wrong beside a result; without it the result would be a lie. */
export function reportFailures(context: Context, failures: readonly Failure[]): void {
  const { errorStyle } = context
  for (const { message, hint } of failures) {
    const say = (line: string) => context.stderr.write(`${fitted(line, context.stderr)}\n`)
    say(`${errorStyle.red('error')} ${printable(message)}`)
    if (hint) say(`  ${errorStyle.dim('→')} ${printable(hint)}`)
  }
}
