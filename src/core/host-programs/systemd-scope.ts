import { spawn } from 'node:child_process'

/** Starts a program in a control group that systemd's user manager delegates. */
export const SCOPE_COMMAND = ['systemd-run', '--user', '--scope', '-p', 'Delegate=yes'] as const

/** Options without which systemd prints the name of the scope, and keeps it if the program fails. */
export const QUIET_SCOPE = [...SCOPE_COMMAND, '--quiet', '--collect'] as const

/** Descriptor of the socket between a program in a scope and the process that started it. */
export const SCOPE_FD = 3

/** Signals that reach one process only, unless a terminal sends them to all. */
const FORWARDED_SIGNALS = ['SIGTERM', 'SIGHUP'] as const

/** End of a program in a scope. */
export interface ScopedExit {
  /** Null if a signal ended it. */
  code: number | null
  signal: NodeJS.Signals | null
  /** True if the program reported on the socket that it runs. */
  hasStarted: boolean
}

/**
 * Runs a program with the streams of this process in a scope of systemd, and forwards signals to
 * it. The socket at SCOPE_FD tells the program when this process dies. Rejects if systemd-run cannot
 * be started.
 */
export async function runInScope(
  argv: readonly string[],
  { cwd, env, hasTerminal }: { cwd: string; env: NodeJS.ProcessEnv; hasTerminal: boolean },
): Promise<ScopedExit> {
  const [program, ...options] = QUIET_SCOPE
  const child = spawn(program, [...options, '--', ...argv], {
    cwd,
    env,
    stdio: ['inherit', 'inherit', 'inherit', 'pipe'],
  })
  let hasStarted = false
  const socket = child.stdio[SCOPE_FD]
  socket?.once('data', () => (hasStarted = true))
  socket?.on('error', () => {})
  // A terminal sends SIGINT to the program too, and the second one would end it at once.
  const signals = hasTerminal ? FORWARDED_SIGNALS : ([...FORWARDED_SIGNALS, 'SIGINT'] as const)
  const forwards = signals.map((name) => [name, () => void child.kill(name)] as const)
  for (const [name, forward] of forwards) process.on(name, forward)
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code, signal) => resolve({ code, signal, hasStarted }))
    })
  } finally {
    for (const [name, forward] of forwards) process.removeListener(name, forward)
  }
}
