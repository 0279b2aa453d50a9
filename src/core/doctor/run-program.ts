import { execFile } from 'node:child_process'

/** How a program ended; never throws. */
export interface Ended {
  ok: boolean
  stdout: string
  stderr: string
}

/** Enough for a probe; installing takes longer. */
const TIMEOUT_MS = 10_000

/** Runs a program to its end, without a shell. */
export async function runProgram(
  file: string,
  args: readonly string[],
  at: { env: Readonly<Record<string, string | undefined>>; timeoutMs?: number },
): Promise<Ended> {
  return await new Promise((resolve) => {
    execFile(
      file,
      [...args],
      { env: { ...at.env }, timeout: at.timeoutMs ?? TIMEOUT_MS, encoding: 'utf8' },
      (error, stdout, stderr) => resolve({ ok: error === null, stdout, stderr }),
    )
  })
}
