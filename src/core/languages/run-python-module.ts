import { describeFailure, runHostProgram } from '../host-programs/run-host-program.ts'

const INSTALL_MS = 15 * 60_000
const MAX_OUTPUT = 16 * 1024 ** 2

/** The only variables of the caller that installing sees: the way to an index, and whom to trust there. */
const PASSTHROUGH_VARIABLES = [
  'HOME',
  'PIP_CONFIG_FILE',
  'PIP_EXTRA_INDEX_URL',
  'PIP_INDEX_URL',
  'PIP_CERT',
  'SSL_CERT_FILE',
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
]

interface PythonModuleCall {
  /** On this machine. */
  executable: string
  args: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** Temporary files are made here. */
  temporary: string
  signal?: AbortSignal | undefined
}

/** Runs a module of Python's own to its end: undefined where it succeeded, else what it said. */
export async function runPythonModule(call: PythonModuleCall): Promise<string | undefined> {
  const { executable, args, temporary: TMPDIR, signal } = call
  const passed = PASSTHROUGH_VARIABLES.flatMap((name) => {
    const value = call.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const env = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', TMPDIR, ...Object.fromEntries(passed) }
  const result = await runHostProgram([executable, '-I', '-m', ...args], {
    // In the root folder no project's own settings are near.
    cwd: '/',
    env,
    timeoutMs: INSTALL_MS,
    maxBytes: MAX_OUTPUT,
    signal,
  })
  return result.ok ? undefined : result.stderr || result.stdout || describeFailure(result)
}
