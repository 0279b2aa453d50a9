import { toSkillsError } from '../../errors.ts'
import { toPrintable, toPrintableLines } from '../../util/printable.ts'
import { createContext, wrapForTerminal, type GlobalOptions, type IoContext } from '../context.ts'

/** Reports an error in the requested format and returns the exit code. */
export function reportError(thrown: unknown, io: IoContext, global: GlobalOptions): number {
  const error = toSkillsError(thrown)
  const context = createContext(io, global)
  if (global.json) {
    const { code, message, hint, data } = error
    context.document('skills.error/v1', { error: { code, message, hint, data } })
  }
  const paint = context.errorStyle
  const writeLine = (line: string) => void io.stderr.write(`${wrapForTerminal(line, io.stderr)}\n`)
  writeLine(`${paint.red('error')} ${toPrintable(error.message)}`)
  if (error.hint) writeLine(`  ${paint.dim('→')} ${toPrintable(error.hint)}`)
  if (global.debug) io.stderr.write(`${toPrintableLines(findRootCause(error).stack ?? '')}\n`)
  return error.outcome.exit
}

function findRootCause(error: Error): Error {
  return error.cause instanceof Error ? error.cause : error
}
