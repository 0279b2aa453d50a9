import { runHostProgram, type HostProgramResult } from '../host-programs/run-host-program.ts'

export const SYSTEM_PROGRAM_MS = 10_000

/** Runs a program of this system and returns its output. */
export async function runSystemProgram(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<HostProgramResult> {
  return await runHostProgram(argv, { env, timeoutMs: SYSTEM_PROGRAM_MS })
}
