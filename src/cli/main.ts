import { closeSync, openSync } from 'node:fs'
import process from 'node:process'
import type { ScopedExit } from '../core/host-programs/systemd-scope.ts'
import { once } from '../util/once.ts'

/** Time for a command to clean up after the first Ctrl-C before the process exits. */
const CLEANUP_GRACE_MS = 5000

/** Process boundary: streams, signals and the exit code. */
export async function main(): Promise<void> {
  const argv = process.argv.slice(2)
  const mayNeedScope = process.platform === 'linux' && process.getuid?.() !== 0
  const isInScope = process.env[SCOPE_PARENT] !== undefined
  if (isInScope) (await import('./scope/join-scope.ts')).joinScope(process.env, SCOPE_PARENT)
  const interruption = listenForSignals()
  const { runCommandLine } = await import('./program.ts')
  const code = await runCommandLine(argv, {
    cwd: process.cwd(),
    env: process.env,
    // Streams are created on first use, since each one costs start-up time.
    get stdin() {
      return process.stdin
    },
    get stdout() {
      return stdout()
    },
    get stderr() {
      return stderr()
    },
    signal: interruption.signal,
    handleInterruption: () => interruption.handleInterruption(),
    handleReload: listenForReloads,
    mayNeedScope,
    ...(mayNeedScope && !isInScope && { startInScope }),
  })
  process.exitCode = interruption.exitCode() ?? code
}

/** Variable that names the process which started this one in a scope. */
const SCOPE_PARENT = 'SKILLS_SCOPE_PARENT'

async function startInScope(): Promise<ScopedExit> {
  const { runInScope } = await import('../core/host-programs/systemd-scope.ts')
  const argv = [process.execPath, ...process.execArgv, ...process.argv.slice(1)]
  const env = { ...process.env, [SCOPE_PARENT]: String(process.pid) }
  return await runInScope(argv, { cwd: process.cwd(), env, hasTerminal: hasTerminal() })
}

/** An unhandled stream error would throw. */
const stdout = once(() =>
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    // A closed pipe (`skills list | head -1`) is not an error.
    if (error.code === 'EPIPE') process.exit(0)
    stderr().write(
      `error Cannot write to standard output (${error.code ?? error.message})\n` +
        '  → Free some space, or write to another path, such as: > /tmp/output\n',
    )
    process.exit(3)
  }),
)

/** Failing to write notices must not stop the work. */
const stderr = once(() => process.stderr.on('error', () => {}))

/**
 * Calls the listener on SIGHUP. A terminal that closes sends the same signal: without it, the
 * command ends as on SIGTERM.
 */
function listenForReloads(listener: () => void): void {
  const hadTerminal = hasTerminal()
  process.on('SIGHUP', () => {
    if (hadTerminal && !hasTerminal()) process.kill(process.pid, 'SIGTERM')
    else listener()
  })
}

function hasTerminal(): boolean {
  try {
    closeSync(openSync('/dev/tty', 'r'))
    return true
  } catch {
    return false
  }
}

interface Interruption {
  signal: AbortSignal
  handleInterruption(): void
  exitCode(): number | undefined
}

function listenForSignals(): Interruption {
  const interrupted = new AbortController()
  let code: number | undefined
  let isPatient = false
  for (const [name, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(name, () => {
      // A second Ctrl-C exits immediately.
      if (code !== undefined) process.exit(exitCode)
      code = exitCode
      interrupted.abort()
      if (!isPatient) setTimeout(() => process.exit(exitCode), CLEANUP_GRACE_MS).unref()
    })
  }
  return {
    signal: interrupted.signal,
    handleInterruption: () => void (isPatient = true),
    exitCode: () => (isPatient ? undefined : code),
  }
}
