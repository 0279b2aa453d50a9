import process from 'node:process'
import { VERSION } from './version.ts'

/** The process boundary: streams, signals and the exit code. */
export async function main(): Promise<void> {
  const argv = process.argv.slice(2)
  // The version is asked by scripts and editors all the time: nothing else is loaded for it.
  if (argv.length === 1 && (argv[0] === '--version' || argv[0] === '-V')) {
    process.stdout.write(`${VERSION}\n`)
    return
  }
  // A reader that went away (`skills list | head -1`) is no error.
  process.stdout.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0)
    throw error
  })
  const interrupted = new AbortController()
  let signals = 0
  const stop = (): void => {
    signals += 1
    interrupted.abort()
    // The second Ctrl-C does not wait for anything.
    if (signals > 1) process.exit(130)
  }
  process.on('SIGINT', stop)
  process.on('SIGTERM', stop)
  const { run } = await import('./program.ts')
  process.exitCode = await run(argv, {
    cwd: process.cwd(),
    env: process.env,
    stdin: process.stdin,
    stdout: process.stdout,
    stderr: process.stderr,
    signal: interrupted.signal,
  })
}
