import { fileURLToPath } from 'node:url'
import { runHostProgram } from '../host-programs/run-host-program.ts'
import { SkillsError } from '../../errors.ts'
import type { ScriptInterface } from './script-interface.ts'

const SCRIPT = fileURLToPath(new URL('./python/arguments.py', import.meta.url))
const TIMEOUT_MS = 10_000
const MAX_BYTES = 4 * 1024 ** 2

interface PythonOptions {
  python?: string | undefined
  env: Readonly<Record<string, string | undefined>>
  signal?: AbortSignal | undefined
}

/** Reads the interface of a Python file with Python's own parser, one process per file. */
export async function readPythonInterface(
  text: string,
  { python = 'python3', env, signal }: PythonOptions,
): Promise<ScriptInterface | { problem: string }> {
  const result = await runHostProgram([python, '-I', '-S', SCRIPT], {
    env: { PATH: env['PATH'], HOME: env['HOME'] },
    input: text,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    signal,
  })
  if (result.failedToStart) {
    throw new SkillsError(
      'language/not-installed',
      `"${python}" cannot be started, which parses the scripts`,
      {
        hint: 'Install Python 3.9 or later, or set run.python to its path',
      },
    )
  }
  if (!result.ok) return { problem: 'the Python parser gave up' }
  return JSON.parse(result.stdout) as ScriptInterface | { problem: string }
}
