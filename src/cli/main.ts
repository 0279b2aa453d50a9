import process from 'node:process'
import { VERSION } from './version.ts'

/** How long a command may clean up after the first Ctrl-C before it is ended anyway. */
const GRACE_MS = 5000

/** The process boundary: streams, signals and the exit code. */
export async function main(): Promise<void> {
  const argv = process.argv.slice(2)
  // The version is asked by scripts and editors all the time: nothing else is loaded for it.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${VERSION}\n`)
    return
  }
  endQuietlyWhenReadersLeave()
  const interruption = listenForSignals()
  const { run } = await import('./program.ts')
  const code = await run(argv, {
    cwd: process.cwd(),
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: interruption.signal,
  })
  process.exitCode = interruption.exitCode() ?? code
}

/** A reader that went away (`skills list | head -1`) is no error. */
function endQuietlyWhenReadersLeave(): void {
  for (const stream of [process.stdout, process.stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE') process.exit(0)
      throw error
    })
  }
}

function listenForSignals(): { signal: AbortSignal; exitCode(): number | undefined } {
  const interrupted = new AbortController()
  let code: number | undefined
  for (const [name, exitCode] of [
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const) {
    process.on(name, () => {
      // The second Ctrl-C does not wait for anything.
      if (code !== undefined) process.exit(exitCode)
      code = exitCode
      interrupted.abort()
      setTimeout(() => process.exit(exitCode), GRACE_MS).unref()
    })
  }
  return { signal: interrupted.signal, exitCode: () => code }
}
