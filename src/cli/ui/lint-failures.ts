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
    const writeLine = (line: string) =>
      context.stderr.write(`${wrapForTerminal(line, context.stderr)}\n`)
    writeLine(`${errorStyle.red('error')} ${toPrintable(message)}`)
    if (hint) writeLine(`  ${errorStyle.dim('→')} ${toPrintable(hint)}`)
  }
}
