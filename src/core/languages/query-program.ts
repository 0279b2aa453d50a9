import { QUERY_TIMEOUT_MS, runHostProgram } from '../host-programs/run-host-program.ts'

/** What a program says of itself, on either stream; undefined where it does not start or fails. */
export async function queryProgram(
  path: string,
  args: readonly string[],
  { searchPath, home }: { searchPath: string; home: string | undefined },
): Promise<string | undefined> {
  const env = { PATH: searchPath, LANG: 'C.UTF-8', HOME: home }
  // In the root folder no project's own settings are near.
  const options = { cwd: '/', env, timeoutMs: QUERY_TIMEOUT_MS }
  const { ok, stdout, stderr } = await runHostProgram([path, ...args], options)
  return ok ? stdout.trim() || stderr.trim() : undefined
}
