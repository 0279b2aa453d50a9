import { toSkillsError } from '../../errors.ts'
import { printable, printableLines } from '../../util/printable.ts'
import { createContext, fitted, type GlobalOptions, type Surroundings } from '../context.ts'

/** Says what went wrong in the form that was asked for, and gives the exit code. */
export function reportError(thrown: unknown, at: Surroundings, global: GlobalOptions): number {
  const error = toSkillsError(thrown)
  const context = createContext(at, global)
  if (global.json) {
    const { code, message, hint, data } = error
    context.document('skills.error/v1', { error: { code, message, hint, data } })
  }
  const paint = context.errorStyle
  const say = (line: string) => void at.stderr.write(`${fitted(line, at.stderr)}\n`)
  say(`${paint.red('error')} ${printable(error.message)}`)
  if (error.hint) say(`  ${paint.dim('→')} ${printable(error.hint)}`)
  if (global.debug) at.stderr.write(`${printableLines(causeOf(error).stack ?? '')}\n`)
  return error.outcome.exit
}

function causeOf(error: Error): Error {
  return error.cause instanceof Error ? error.cause : error
}
