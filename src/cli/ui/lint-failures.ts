import { toPrintable } from '../../util/printable.ts'
import { wrapForTerminal, type Context } from '../context.ts'

/** A sentence and the line that says what to type. */
interface LintFailureText {
  message: string
  hint?: string | undefined
}

/** Says on standard error what went wrong beside a result; without it the result would be a lie. */
export function reportLintFailures(context: Context, failures: readonly LintFailureText[]): void {
  const { errorStyle } = context
  for (const { message, hint } of failures) {
    const say = (line: string) => context.stderr.write(`${wrapForTerminal(line, context.stderr)}\n`)
    say(`${errorStyle.red('error')} ${toPrintable(message)}`)
    if (hint) say(`  ${errorStyle.dim('→')} ${toPrintable(hint)}`)
  }
}
