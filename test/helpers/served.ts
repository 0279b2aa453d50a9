import { spawn, type ChildProcess } from 'node:child_process'
import { onTestFinished } from 'vitest'
import { INHERITED_ENV } from './inherited-env.ts'
import { PROGRAM } from './built.ts'

export interface Served {
  process: ChildProcess
  /** Its ready message. */
  ready: Record<string, unknown>
  url: string
  stderr(): string
  /** Resolves with the exit code, or the signal that ended the process. */
  ended: Promise<number | string | null>
}

/** Starts `skills serve` in its own process. */
export async function startServe(
  argv: readonly string[],
  /** `limits` is a shell command that runs in the process before the server. */
  at: { cwd: string; env?: Record<string, string>; limits?: string },
  /** For a server that several tests share. */
  whenDone: (end: () => void) => void = onTestFinished,
): Promise<Served> {
  const node = [...PROGRAM, 'serve', '--port', '0', '--json', ...argv]
  const shell = ['/bin/sh', '-c', `${at.limits}; exec "$@"`, 'sh', ...node]
  const [file = '', ...args] = at.limits === undefined ? node : shell
  const child = spawn(file, args, {
    cwd: at.cwd,
    env: { ...INHERITED_ENV, HOME: at.cwd, ...at.env },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  whenDone(() => void child.kill('SIGKILL'))
  let stdout = ''
  let stderr = ''
  child.stderr.on('data', (chunk) => (stderr += String(chunk)))
  const ended = new Promise<number | string | null>((resolve) => {
    child.on('exit', (code, signal) => resolve(signal ?? code))
  })
  const ready = await new Promise<Record<string, unknown>>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      stdout += String(chunk)
      if (stdout.endsWith('\n')) resolve(JSON.parse(stdout) as Record<string, unknown>)
    })
    void ended.then((how) => reject(new Error(`ended with ${how}: ${stderr}`)))
  })
  return { process: child, ready, url: String(ready['url']), stderr: () => stderr, ended }
}
