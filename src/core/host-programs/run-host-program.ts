import type { Readable, Writable } from 'node:stream'
import { loadExeca } from './load-execa.ts'
import { superviseProgram, type ProgramEndReason } from './supervise-program.ts'

/** Time for a program that is asked about itself. */
export const QUERY_TIMEOUT_MS = 20_000

const MAX_BYTES = 1024 ** 2

export interface HostProgramOptions {
  /** All variables of the program: none of this process is added. */
  env: Readonly<Record<string, string | undefined>>
  cwd?: string
  /** Content of its standard input, which is empty unless given. */
  input?: string | Uint8Array | undefined
  /** The program is ended then; there is no limit unless given. */
  timeoutMs?: number
  signal?: AbortSignal | undefined
  /** Limit of each output stream; a program that prints more is ended. */
  maxBytes?: number
  ignoresStderr?: boolean
  /**
   * Stays in the session of this process, as installers need: sudo keeps a password per terminal, and
   * services that a package starts outlive its installation.
   */
  keepsSession?: boolean
}

export interface HostProgramResult {
  /** True for exit code 0 of a program that was not ended. */
  ok: boolean
  exitCode: number | undefined
  signal: string | undefined
  stdout: string
  stderr: string
  /** True where output is cut at its limit. */
  wasCut: boolean
  timedOut: boolean
  wasCancelled: boolean
  failedToStart: { code: string; message: string } | undefined
}

/** A program that its caller talks to; without streams where it cannot be started. */
export interface HostProgram {
  stdin: Writable | null
  stdout: Readable | null
  result: Promise<HostProgramResult>
  end(): void
}

/** Runs a program of this machine to its end, without a shell; what it started ends with it. */
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

/** Starts a program of this machine in the same way, and leaves its input and output to the caller. */
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
  if (signal?.aborted) return createUnstartedProgram({ ending: 'cancelled' })
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
    // NODE_DEBUG would have execa print command lines.
    verbose: 'none',
    // A session of its own is ended as a whole.
    detached: !keepsSession,
    ...streams,
  })
  const supervision = superviseProgram(child, { timeoutMs, signal, hasGroup: !keepsSession })
  const result = supervision
    .waitForExit<ExecaResult>(child)
    .then((raw = {}) => toHostProgramResult({ raw, ending: supervision.ending }))
  return { stdin: child.stdin, stdout: child.stdout, result, end: () => supervision.end() }
}

/** The fields of execa's result that are of use here. */
interface ExecaResult {
  code?: string | undefined
  originalMessage?: string | undefined
  exitCode?: number | undefined
  signal?: string | undefined
  isMaxBuffer?: boolean
  stdout?: unknown
  stderr?: unknown
}

interface ProgramOutcome {
  raw?: ExecaResult
  ending?: ProgramEndReason | undefined
}

function createUnstartedProgram(ended: ProgramOutcome): HostProgram {
  return {
    stdin: null,
    stdout: null,
    result: Promise.resolve(toHostProgramResult(ended)),
    end: () => {},
  }
}

function toHostProgramResult({ raw = {}, ending }: ProgramOutcome): HostProgramResult {
  const { code, originalMessage: message = '', exitCode, signal, isMaxBuffer: wasCut = false } = raw
  const isUnstarted = code !== undefined && exitCode === undefined && signal === undefined
  return {
    ok: exitCode === 0 && !wasCut && ending === undefined,
    exitCode,
    signal,
    stdout: decodeOutput(raw.stdout),
    stderr: decodeOutput(raw.stderr),
    wasCut,
    timedOut: ending === 'timed out',
    wasCancelled: ending === 'cancelled',
    failedToStart: isUnstarted ? { code, message } : undefined,
  }
}

function decodeOutput(output: unknown): string {
  return output instanceof Uint8Array ? Buffer.from(output).toString('utf8') : ''
}

/** One sentence about a program that is not `ok`. */
export function describeFailure(result: HostProgramResult): string {
  if (result.failedToStart) return `It cannot be started: ${result.failedToStart.message}`
  if (result.wasCut) return 'It said too much'
  if (result.timedOut) return 'It took too long'
  const { exitCode, signal } = result
  return signal === undefined ? `It ended with the exit status ${exitCode}` : `${signal} ended it`
}
