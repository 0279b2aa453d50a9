import { runHostProgram, type HostProgramResult } from '../host-programs/run-host-program.ts'

export const ASK_MS = 10_000

/** Asks a program of this system something. */
export async function askSystem(
  argv: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<HostProgramResult> {
  return await runHostProgram(argv, { env, timeoutMs: ASK_MS })
}
