import { spawn, type ChildProcess } from 'node:child_process'
import { exhaustedError } from '../../errors.ts'

/** Options of Node that load modules, such as a loader of TypeScript sources. */
const LOADER_OPTIONS = new Set(['--import', '--require', '-r', '--loader', '--experimental-loader'])
/** Variables that Node itself reads; all others could hold secrets. */
const INHERITED_VARIABLES = ['HOME', 'LANG', 'PATH', 'TMPDIR']

/**
 * Starts a script in a process of its own, which survives this one and its terminal. It has a
 * socket for messages; arguments and environment contain nothing of the caller.
 */
export function spawnRunner(
  script: string,
  { cwd, env }: { cwd: string; env: Readonly<Record<string, string | undefined>> },
): ChildProcess {
  const inherited = INHERITED_VARIABLES.flatMap((name) => {
    const value = env[name]
    return value === undefined ? [] : [[name, value] as const]
  })
  const child = spawn(process.execPath, [...listLoaderOptions(process.execArgv), script], {
    cwd,
    env: Object.fromEntries(inherited),
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
    detached: true,
  })
  child.on('error', () => {})
  // Without file descriptors, Node creates a child that has no channel.
  if (child.pid === undefined || !child.connected) throw exhaustedError('EMFILE')
  return child
}

/** Options such as `--import tsx` and `--import=tsx`. */
function listLoaderOptions(argv: readonly string[]): string[] {
  return argv.flatMap((word, index) => {
    const [name = ''] = word.split('=')
    if (!LOADER_OPTIONS.has(name)) return []
    return word.includes('=') ? [word] : [word, argv[index + 1] ?? '']
  })
}
