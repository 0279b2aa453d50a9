import { QUERY_TIMEOUT_MS, runHostProgram } from '../host-programs/run-host-program.ts'

/**
 * Returns the output of a program: stdout, or stderr if stdout is empty. Undefined if the program
 * does not start or fails.
 */
export async function queryProgram(
  path: string,
  args: readonly string[],
  { searchPath, home }: { searchPath: string; home: string | undefined },
): Promise<string | undefined> {
  const env = { PATH: searchPath, LANG: 'C.UTF-8', HOME: home }
  // The root folder has no project settings that the program could load.
  const options = { cwd: '/', env, timeoutMs: QUERY_TIMEOUT_MS }
  const { ok, stdout, stderr } = await runHostProgram([path, ...args], options)
  return ok ? stdout.trim() || stderr.trim() : undefined
}
