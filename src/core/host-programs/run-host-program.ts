import type { Readable, Writable } from 'node:stream'
import { loadExeca } from './load-execa.ts'
import { superviseProgram, type ProgramEndReason } from './supervise-program.ts'

/** Timeout of a program that is queried, such as for its version. */
export const QUERY_TIMEOUT_MS = 20_000

const MAX_BYTES = 1024 ** 2

export interface HostProgramOptions {
  /** Complete environment of the program; nothing is inherited from this process. */
  env: Readonly<Record<string, string | undefined>>
  cwd?: string
  /** Content of stdin; empty by default. */
  input?: string | Uint8Array | undefined
  /** Timeout after which the program is killed; none by default. */
  timeoutMs?: number
  signal?: AbortSignal | undefined
  /** Limit of each output stream. A program that exceeds it is killed. */
  maxBytes?: number
  ignoresStderr?: boolean
  /**
   * Stays in the session of this process, as installers require: sudo caches a password per
   * terminal, and services that a package starts outlive its installation.
   */
  keepsSession?: boolean
}

export interface HostProgramResult {
  /** True if the program exited with code 0 and was not killed. */
  ok: boolean
  exitCode: number | undefined
  signal: string | undefined
  stdout: string
  stderr: string
  /** True if output was truncated at its limit. */
  wasCut: boolean
  timedOut: boolean
  wasCancelled: boolean
  failedToStart: { code: string; message: string; cause: Error } | undefined
}

/** A program with streams for its caller; both are null if it cannot be started. */
export interface HostProgram {
  stdin: Writable | null
  stdout: Readable | null
  result: Promise<HostProgramResult>
  end(): void
}

/** Runs a host program to its end, without a shell. Its descendants are killed when it exits. */
export async function runHostProgram(
  argv: readonly string[],
  options: HostProgramOptions,
): Promise<HostProgramResult> {
  const { input } = options
  const program = await startExeca(
    argv,
    options,
    input === undefined ? { stdin: 'ignore' } : { input },
  )
  return await program.result
}

/** Starts a host program under the same rules and leaves stdin and stdout to the caller. */
export async function startHostProgram(
  argv: readonly string[],
  options: Omit<HostProgramOptions, 'input' | 'maxBytes'>,
): Promise<HostProgram> {
  return await startExeca(argv, options, { buffer: { stdout: false } })
}

async function startExeca(
  [file = '', ...args]: readonly string[],
  options: HostProgramOptions,
  streams: object,
): Promise<HostProgram> {
  const { env, cwd, timeoutMs, signal, maxBytes = MAX_BYTES, keepsSession = false } = options
  const execa = await loadExeca()
  if (signal?.aborted) return createUnstartedProgram({ endReason: 'cancelled' })
  if (!execa)
    return createUnstartedProgram({
      raw: { code: 'EMFILE', originalMessage: `spawn ${file} EMFILE` },
    })
  const child = execa(file, args, {
    env: { ...env },
    extendEnv: false,
    ...(cwd !== undefined && { cwd }),
    stderr: options.ignoresStderr === true ? 'ignore' : 'pipe',
    encoding: 'buffer',
    maxBuffer: maxBytes,
    stripFinalNewline: false,
    reject: false,
    // With NODE_DEBUG set, execa would otherwise print command lines.
    verbose: 'none',
    // A session of its own can be killed as a whole.
    detached: !keepsSession,
    ...streams,
  })
  const supervision = superviseProgram(child, { timeoutMs, signal, hasGroup: !keepsSession })
  const result = supervision
    .waitForExit<ExecaResult>(child)
    .then((raw = {}) => toHostProgramResult({ raw, endReason: supervision.endReason }))
  return { stdin: child.stdin, stdout: child.stdout, result, end: () => supervision.end() }
}

/** The fields of execa's result that are used here. */
interface ExecaResult {
  code?: string | undefined
  originalMessage?: string | undefined
  exitCode?: number | undefined
  signal?: string | undefined
  isMaxBuffer?: boolean
  stdout?: unknown
  stderr?: unknown
}

interface RawOutcome {
  raw?: ExecaResult
  endReason?: ProgramEndReason | undefined
}

function createUnstartedProgram(outcome: RawOutcome): HostProgram {
  return {
    stdin: null,
    stdout: null,
    result: Promise.resolve(toHostProgramResult(outcome)),
    end: () => {},
  }
}

function toHostProgramResult({ raw = {}, endReason }: RawOutcome): HostProgramResult {
  const { code, originalMessage: message = '', exitCode, signal, isMaxBuffer: wasCut = false } = raw
  const isUnstarted = code !== undefined && exitCode === undefined && signal === undefined
  return {
    ok: exitCode === 0 && !wasCut && endReason === undefined,
    exitCode,
    signal,
    stdout: decodeOutput(raw.stdout),
    stderr: decodeOutput(raw.stderr),
    wasCut,
    timedOut: endReason === 'timed out',
    wasCancelled: endReason === 'cancelled',
    failedToStart: isUnstarted
      ? { code, message, cause: Object.assign(new Error(message), { code }) }
      : undefined,
  }
}

function decodeOutput(output: unknown): string {
  return output instanceof Uint8Array ? Buffer.from(output).toString('utf8') : ''
}

/** Describes the failure of a program whose result is not `ok`, in one sentence. */
export function describeFailure(result: HostProgramResult): string {
  if (result.failedToStart) return `It cannot be started: ${result.failedToStart.message}`
  if (result.wasCut) return 'It printed too much'
  if (result.timedOut) return 'It timed out'
  const { exitCode, signal } = result
  return signal === undefined ? `It exited with code ${exitCode}` : `It was killed by ${signal}`
}
