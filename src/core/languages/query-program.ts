import {
  describeFailure,
  QUERY_TIMEOUT_MS,
  runHostProgram,
  type HostProgramResult,
} from '../host-programs/run-host-program.ts'
import { throwIfExhausted } from '../../errors.ts'
import { toPrintable } from '../../util/printable.ts'
import { selectManagerVariables } from './shims/manager-variables.ts'

/** The output of a program, or its explanation if it fails or does not start. */
export type ProgramAnswer = { text: string } | { words: string }

/** Search path and environment of a queried program. */
export interface QueryContext {
  searchPath: string
  /** Environment of the caller, of which only the variables of version managers are passed on. */
  env: Readonly<Record<string, string | undefined>>
}

/** Returns the output of a program: stdout, or stderr if stdout is empty. */
export async function queryProgram(
  path: string,
  args: readonly string[],
  { searchPath, env: callerEnv }: QueryContext,
): Promise<ProgramAnswer> {
  const own = { PATH: searchPath, LANG: 'C.UTF-8', HOME: callerEnv['HOME'] }
  const env = { ...selectManagerVariables(callerEnv), ...own }
  // The root folder has no project settings that the program could load.
  const options = { cwd: '/', env, timeoutMs: QUERY_TIMEOUT_MS }
  const result = await runHostProgram([path, ...args], options)
  const { ok, stdout, stderr } = result
  return ok ? { text: stdout.trim() || stderr.trim() } : { words: quoteProgram(result) }
}

const MAX_LINES = 3
const MAX_LENGTH = 300

/**
 * Returns what a failed program printed, or how it failed if it printed nothing. Throws if the host lacks something: then
 * the program is not missing.
 */
export function quoteProgram(result: HostProgramResult): string {
  if (result.failedToStart) throwIfExhausted(result.failedToStart.cause)
  const printed = result.stderr.trim() || result.stdout.trim()
  const lines = printed.split('\n').flatMap((line) => toPrintable(line).trim() || [])
  return lines.slice(0, MAX_LINES).join('; ').slice(0, MAX_LENGTH) || describeFailure(result)
}
