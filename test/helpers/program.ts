import { spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, onTestFinished } from 'vitest'
import { createFolder } from './skills.ts'
import { PROGRAM } from './built.ts'
import { INHERITED_ENV } from './inherited-env.ts'

const PATIENCE = { timeout: 30_000, interval: 50 }

export interface RunningProgram {
  stdout(): string
  stderr(): string
  /** Waits until standard error, or standard output, has this text. */
  says(text: string, stream?: 'stdout' | 'stderr'): Promise<void>
  /** Signals its process group, as a terminal does. */
  signal(name: NodeJS.Signals): void
  /** Waits until its processes wait for something. */
  waitUntilIdle(): Promise<void>
  /** Exit code, or the signal that ended the process. */
  ended: Promise<number | NodeJS.Signals | null>
}

/** Starts the program in its own process and process group. */
export function startProgram(
  argv: readonly string[],
  at: { cwd: string; env?: Record<string, string>; stdin?: string },
): RunningProgram {
  const [node = '', ...args] = PROGRAM
  const child = spawn(node, [...args, ...argv], {
    cwd: at.cwd,
    env: { ...INHERITED_ENV, HOME: createFolder(), ...at.env },
    detached: true,
    stdio: 'pipe',
  })
  const texts = { stdout: '', stderr: '' }
  for (const name of ['stdout', 'stderr'] as const) {
    child[name].setEncoding('utf8').on('data', (text: string) => (texts[name] += text))
  }
  const ended = new Promise<number | NodeJS.Signals | null>((resolve) => {
    child.on('close', (code, signal) => resolve(code ?? signal))
  })
  const group = (name: NodeJS.Signals) => {
    const { pid, exitCode, signalCode } = child
    if (pid !== undefined && exitCode === null && signalCode === null) process.kill(-pid, name)
  }
  onTestFinished(async () => {
    group('SIGKILL')
    await ended
  })
  child.stdin.on('error', () => {})
  if (at.stdin !== undefined) child.stdin.end(at.stdin)
  return {
    stdout: () => texts.stdout,
    stderr: () => texts.stderr,
    says: async (text, stream = 'stderr') =>
      await expect.poll(() => texts[stream], PATIENCE).toContain(text),
    signal: group,
    waitUntilIdle: async () => await waitUntilIdle(child.pid as number),
    ended,
  }
}

/** Waits until all processes of a group sleep and use no processor time for a while. */
async function waitUntilIdle(group: number): Promise<void> {
  const quietChecks = 10
  let before = ''
  for (let quiet = 0; quiet < quietChecks;) {
    const now = describeGroup(group)
    quiet = now === before && !/[RD]/.test(now) ? quiet + 1 : 0
    before = now
    await sleep(50)
  }
}

/** State, user time and system time of each process. */
function describeGroup(group: number): string {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => readProcessStat(pid))
    .filter((fields) => Number(fields[2]) === group)
    .map((fields) => [fields[0], fields[11], fields[12]].join(' '))
    .join()
}

/** Fields of a process from its state on; none if it has ended. */
function readProcessStat(pid: string): string[] {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  } catch {
    return []
  }
}

/** Number of processes whose command line starts with this text. */
export function countAlive(mark: string): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && existsSync(`/proc/${name}/cmdline`))
    .filter((name) => {
      try {
        return readFileSync(`/proc/${name}/cmdline`, 'utf8').startsWith(mark)
      } catch {
        return false
      }
    }).length
}

/** Waits until this many processes with the mark are running. */
export async function expectAlive(mark: string, number: number): Promise<void> {
  await expect.poll(() => countAlive(mark), PATIENCE).toBe(number)
}
