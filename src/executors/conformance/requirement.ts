import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { assertThat, formatValue } from '../../conformance/assertions.ts'
import type { Limits } from '../../core/sandbox/backend.ts'
import type {
  Executor,
  ExecutorExit,
  ExecutorGuarantees,
  ExecutorProcess,
} from '../../core/sandbox/executor/executor.ts'
import { startPython } from '../../core/sandbox/executor/start-python.ts'

/** Something that an executor must do, with its check. */
export interface ExecutorRequirement {
  /** `<area>/<name>`. */
  id: string
  /** The requirement as one sentence. */
  text: string
  /** Checked only if the executor guarantees this. */
  needs?: ExecutorNeed
  /** Throws with what is wrong. */
  check(trial: ExecutorTrial): Promise<void>
}

export type ExecutorNeed =
  | { isolates: ExecutorGuarantees['isolates'][number] }
  | { limits: ExecutorGuarantees['limits'][number] }

/** A command of a check, with what it printed. */
export interface TrialEnd {
  exit: ExecutorExit
  stdout: Buffer
  stderr: string
}

/** The executor that is checked. */
export interface ExecutorTrial {
  executor: Executor
  signal: AbortSignal
  /** A folder of this machine for files of the check. */
  folder: string
}

const MIB = 1024 ** 2
const END_MS = 60_000
const LINE_MS = 30_000

const LIMITS: Limits = {
  wallMs: 60_000,
  cpuMs: 60_000,
  memoryBytes: 256 * MIB,
  totalMemoryBytes: undefined,
  processes: 64,
  openFiles: 256,
  workspaceBytes: 64 * MIB,
  inodes: 10_000,
  outputBytes: 8 * MIB,
  networkBytes: MIB,
}

/** Starts Python code, as the runtime does. */
export async function startTrial(
  { executor, signal }: ExecutorTrial,
  code: string,
  limits: Partial<Limits> = {},
): Promise<ExecutorProcess> {
  const id = `run_${createHash('sha256').update(`${code}${performance.now()}`).digest('hex').slice(0, 24)}`
  const all = { ...LIMITS, ...limits }
  return await startPython(executor, { id, skills: [], limits: all, signal, code })
}

/** Runs Python code to its end, with an input. */
export async function runTrial(
  trial: ExecutorTrial,
  code: string,
  { input, limits }: { input?: Buffer; limits?: Partial<Limits> } = {},
): Promise<TrialEnd> {
  const command = await startTrial(trial, code, limits)
  command.stdin.end(input)
  return await finishTrial(command)
}

/** Waits for the end of a command, and kills one that does not end. */
export async function finishTrial(command: ExecutorProcess): Promise<TrialEnd> {
  const [stdout, stderr] = [collect(command.stdout), collect(command.stderr)]
  try {
    const exit = await within(command.exited, 'the command did not end')
    await within(Promise.all([stdout.ended, stderr.ended]), 'its streams did not end')
    return { exit, stdout: stdout.bytes(), stderr: stderr.bytes().toString('utf8') }
  } finally {
    command.kill()
  }
}

/** Rejects with a reason if something takes longer than any executor may. */
export async function within<T>(work: Promise<T>, reason: string, ms = END_MS): Promise<T> {
  const timer = new AbortController()
  const late = sleep(ms, undefined, { signal: timer.signal }).then(
    () => assertThat(false, `${reason} within ${ms / 1000} s`),
    () => {},
  )
  try {
    return (await Promise.race([work, late])) as T
  } finally {
    timer.abort()
  }
}

/** Waits for the first line of a command's output. */
export async function readFirstLine(command: ExecutorProcess): Promise<string> {
  let text = ''
  const line = new Promise<string>((resolve) => {
    command.stdout.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
      if (text.includes('\n')) resolve(text.slice(0, text.indexOf('\n')))
    })
    void command.exited.then(() => resolve(text))
  })
  return await within(line, 'the command printed nothing', LINE_MS)
}

/** Fails unless a command printed this line as its only output. */
export function expectOutput({ exit, stdout, stderr }: TrialEnd, expected: string): void {
  const printed = stdout.toString('utf8').trim()
  const failure = exit.failure === undefined ? '' : ` (${exit.failure})`
  const errors = stderr.trim() === '' ? '' : `, and on stderr ${formatValue(stderr.slice(-200))}`
  assertThat(
    printed === expected,
    `expected ${formatValue(expected)}, got ${formatValue(printed)} and code ${exit.exitCode}${failure}${errors}`,
  )
}

function collect(stream: ExecutorProcess['stdout']) {
  const chunks: Buffer[] = []
  stream.on('data', (chunk: Buffer | string) => chunks.push(Buffer.from(chunk as string)))
  const ended = new Promise<void>((resolve) => {
    if (stream.readableEnded || stream.destroyed) resolve()
    stream.once('end', resolve).once('close', resolve)
  })
  return { ended, bytes: () => Buffer.concat(chunks) }
}
