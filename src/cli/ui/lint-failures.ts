import { toPrintable } from '../../util/printable.ts'
import { wrapForTerminal, type Context } from '../context.ts'

/** A message and its hint. */
interface LintFailureText {
  message: string
  hint?: string | undefined
}

/** Reports failures on standard error; a result without them would be misleading. */
export function reportLintFailures(context: Context, failures: readonly LintFailureText[]): void {
  const { errorStyle } = context
  for (const { message, hint } of failures) {
    const say = (line: string) => context.stderr.write(`${wrapForTerminal(line, context.stderr)}\n`)
    say(`${errorStyle.red('error')} ${toPrintable(message)}`)
    if (hint) say(`  ${errorStyle.dim('→')} ${toPrintable(hint)}`)
  }
}
