import { constants } from 'node:os'
import { formatBytes, formatDuration } from '../../util/quantity.ts'
import { findDeepNesting } from '../manifest/nesting.ts'
import type { Plain } from '../manifest/manifest.ts'
import type { Limits, SandboxExit } from '../sandbox/backend.ts'
import type { Isolation } from '../sandbox/isolation.ts'
import type { RunError } from './result.ts'

/** The harness's last word, not trusted in its form. */
export interface Told {
  error?: {
    type?: unknown
    message?: unknown
    traceback?: unknown
    hint?: unknown
    errno?: unknown
    exit_code?: unknown
  }
  summary?: unknown
  /** The return value as JSON. */
  output?: unknown
  output_blob?: unknown
}

/** How a run ended, before anything is redacted. */
export type Outcome =
  | { kind: 'returned'; output: Plain; summary: string | undefined }
  | { kind: 'stored'; blobId: string; summary: string | undefined }
  | { kind: 'failed'; error: RunError }

/** What is known when all processes are dead. */
export interface Ending {
  exit: SandboxExit
  told: Told | undefined
  /** Why nothing more was read from the channel. */
  refused: RunError | undefined
  limits: Limits
  isolation: Isolation
}

/** Judges a run; the most certain reason comes first, and without a result nothing is completed. */
export function judge(ending: Ending): Outcome {
  const error = limitError(ending) ?? ending.refused ?? deathError(ending) ?? toldError(ending)
  if (error) return { kind: 'failed', error }
  const { summary, output, output_blob: blobId } = ending.told as Told
  const own = typeof summary === 'string' ? summary : undefined
  if (typeof blobId === 'string') {
    return { kind: 'stored', blobId, summary: own }
  }
  if (
    typeof output !== 'string' ||
    findDeepNesting(output.replace(/"(?:[^"\\]|\\.)*"/g, '""')) !== undefined
  ) {
    return failed({
      type: 'SerializationError',
      message: 'The result is nested too deeply',
      hint: 'Return a flatter value, or write it into a blob',
    })
  }
  try {
    return { kind: 'returned', output: JSON.parse(output) as Plain, summary: own }
  } catch {
    return failed({ type: 'SerializationError', message: 'The result is not JSON' })
  }
}

function limitError({ exit, limits, isolation, told }: Ending): RunError | undefined {
  const signal = nameOfSignal(exit.signal)
  if (exit.endedBecause === 'wall') {
    return {
      type: 'Timeout',
      message: `The run took longer than ${formatDuration(limits.wallMs)}`,
      hint: 'Give it more time with --timeout, or let it do less',
      limit: { name: 'wall', value: limits.wallMs },
    }
  }
  if (exit.endedBecause === 'output') {
    return {
      type: 'OutputLimit',
      message: `The run printed more than ${formatBytes(limits.outputBytes)}`,
      hint: 'Print less, or write it into a blob',
      limit: { name: 'output', value: limits.outputBytes },
    }
  }
  if (exit.memoryHit || exit.endedBecause === 'memory' || isMemoryError({ told, isolation })) {
    return {
      type: 'MemoryLimit',
      message: `The run needed more than ${formatBytes(limits.memoryBytes)} of memory`,
      hint: 'Work on smaller pieces, or set run.limits.memory in skills.config.toml',
      limit: { name: 'memory', value: limits.memoryBytes },
    }
  }
  if (signal === 'SIGXCPU') {
    return {
      type: 'CpuLimit',
      message: `A process of the run used more than ${formatDuration(limits.cpuMs)} of processor time`,
      hint: 'Set run.limits.cpu_time in skills.config.toml to allow more',
      limit: { name: 'cpu', value: limits.cpuMs },
    }
  }
  return undefined
}

/** Where the kernel's limit is one of address space, Python is told and raises. */
function isMemoryError({ told, isolation }: Pick<Ending, 'told' | 'isolation'>): boolean {
  return (
    isolation.limits['memory']?.startsWith('rlimit') === true && told?.error?.type === 'MemoryError'
  )
}

function deathError({ exit, told }: Ending): RunError | undefined {
  if (exit.failure !== undefined) return { type: 'SandboxError', message: exit.failure }
  const signal = nameOfSignal(exit.signal)
  if (signal) return { type: 'Killed', message: `The code was ended by ${signal}`, signal }
  if (exit.exitCode === null) {
    return { type: 'SandboxError', message: 'The sandbox ended before the code did' }
  }
  if (told && (exit.exitCode === 0 || told.error)) return undefined
  return {
    type: 'Exited',
    message: `The code ended itself with exit code ${exit.exitCode} before it returned`,
    hint: 'Return a value instead of leaving',
    exit_code: exit.exitCode,
  }
}

function toldError({ told, exit, limits }: Ending): RunError | undefined {
  const given = told?.error
  if (!given || typeof given !== 'object') return undefined
  const text = (value: unknown) => (typeof value === 'string' ? value : undefined)
  const hint = text(given.hint)
  const traceback = text(given.traceback)
  const error: RunError = {
    type: text(given.type) ?? 'Exited',
    message: text(given.message) ?? '',
    ...(Number.isInteger(given.exit_code) ? { exit_code: given.exit_code as number } : {}),
    ...(traceback === undefined ? {} : { traceback }),
    ...(hint === undefined ? {} : { hint }),
  }
  return { ...error, ...refusal({ exit, limits, errno: given.errno, message: error.message }) }
}

/** The limit behind an exception that the kernel's refusal raised. */
function refusal({
  exit,
  limits,
  errno,
  message,
}: Pick<Ending, 'exit' | 'limits'> & { errno: unknown; message: string }): Partial<RunError> {
  const { EAGAIN, EMFILE, ENOSPC, EFBIG } = constants.errno
  const isRefusedProcess = errno === EAGAIN || message === "can't start new thread"
  if (exit.processesHit && isRefusedProcess) {
    return {
      type: 'ProcessLimit',
      hint: 'Start fewer processes and threads, or set run.limits.processes in skills.config.toml',
      limit: { name: 'processes', value: limits.processes },
    }
  }
  if (errno === ENOSPC || errno === EFBIG) {
    return {
      type: 'DiskLimit',
      hint: 'Write less, or set run.limits.workspace in skills.config.toml',
      limit: { name: 'workspace', value: limits.workspaceBytes },
    }
  }
  if (errno === EMFILE) {
    return {
      hint: 'Close files, or set run.limits.open_files in skills.config.toml',
      limit: { name: 'open_files', value: limits.openFiles },
    }
  }
  return {}
}

function failed(error: RunError): Outcome {
  return { kind: 'failed', error }
}

function nameOfSignal(number: number | null): string | undefined {
  if (number === null) return undefined
  const found = Object.entries(constants.signals).find(([, value]) => value === number)
  return found?.[0] ?? `signal ${number}`
}
