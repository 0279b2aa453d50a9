import { relative } from 'node:path'
import type { SuiteProblem } from '../../core/testing/document/problems.ts'
import { toPrintable } from '../../util/printable.ts'
import type { Context } from '../context.ts'

/** Writes the mistakes of files of cases with their positions, and returns the exit code. */
export function reportSuiteProblems(context: Context, problems: readonly SuiteProblem[]): number {
  for (const { file, start, message, help } of problems) {
    const place = `${toPrintable(relative(context.cwd, file))}:${start.line}:${start.column}`
    context.stderr.write(`${context.errorStyle.red('error')} ${place}: ${toPrintable(message)}\n`)
    if (help !== undefined) context.stderr.write(`  → ${toPrintable(help)}\n`)
  }
  return 2
}
