import { describeFailure, runHostProgram } from '../host-programs/run-host-program.ts'

const INSTALL_MS = 15 * 60_000
const MAX_OUTPUT = 16 * 1024 ** 2

/**
 * The only variables of the caller that an installation gets: package index, proxies and
 * certificates.
 */
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
  /** Path on the host. */
  executable: string
  args: readonly string[]
  env: Readonly<Record<string, string | undefined>>
  /** Folder for temporary files. */
  temporaryFolder: string
  signal?: AbortSignal | undefined
}

/** Runs a module of the standard library. Returns undefined on success, otherwise its output. */
export async function runPythonModule(call: PythonModuleCall): Promise<string | undefined> {
  const { executable, args, temporaryFolder: TMPDIR, signal } = call
  const passed = PASSTHROUGH_VARIABLES.flatMap((name) => {
    const value = call.env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const env = { PATH: '/usr/bin:/bin', LANG: 'C.UTF-8', TMPDIR, ...Object.fromEntries(passed) }
  const result = await runHostProgram([executable, '-I', '-m', ...args], {
    // The root folder has no project settings that the module could load.
    cwd: '/',
    env,
    timeoutMs: INSTALL_MS,
    maxBytes: MAX_OUTPUT,
    signal,
  })
  return result.ok ? undefined : result.stderr || result.stdout || describeFailure(result)
}
