import { constants } from 'node:os'
import { formatByteLimit, spellDuration } from '../../../util/quantity.ts'
import type { EndReason, Limits } from '../../sandbox/backend.ts'
import { computeDefaultTotal } from '../../sandbox/cgroups/cgroup-total.ts'
import type { FunctionEnd } from './function-end.ts'
import type { RunError } from '../result.ts'

const FORK_PATTERN = /\bfork\b|_fork_exec|\bstart_new_thread\b|\bspawn/

/** Reasons with one error each. */
const SIMPLE_REASONS = ['wall', 'output', 'network', 'disk', 'hidden files', 'inodes'] as const

/** Parts of an ended run that limits depend on. */
type LimitedEnd = Pick<FunctionEnd, 'exit' | 'limits'> & Partial<Pick<FunctionEnd, 'harnessResult'>>

/** Finds the limit that ended a run. */
export function findLimitError(end: LimitedEnd): RunError | undefined {
  const { exit, limits } = end
  const { endedBecause: reason } = exit
  if (reason !== undefined && isSimpleReason(reason)) return LIMIT_ERRORS[reason](limits)
  if (exit.memoryHit || reason === 'memory') return resolveMemoryError(end)
  if (hasExceededCpuTime(end)) return LIMIT_ERRORS.cpu(limits)
  // Without a kernel report, a MemoryError still means the memory limit: one allocation cannot
  // exceed it.
  if (end.harnessResult?.error?.type === 'MemoryError') return LIMIT_ERRORS.memory(limits)
  return undefined
}

function isSimpleReason(reason: EndReason): reason is (typeof SIMPLE_REASONS)[number] {
  return SIMPLE_REASONS.some((each) => each === reason)
}

function resolveMemoryError({ exit, limits }: LimitedEnd): RunError {
  // Processes that are started in a loop also use memory; the process limit is the cause then.
  if (exit.processesHitLast) return LIMIT_ERRORS.processes(limits)
  return exit.totalHit ? LIMIT_ERRORS.totalMemory(limits) : LIMIT_ERRORS.memory(limits)
}

/** Finds the limit behind an exception that a refused system call raised. */
export function findRefusedLimit(
  end: FunctionEnd,
  error: RunError & { errno: unknown },
): Partial<RunError> {
  const { EMFILE, ENOSPC, EFBIG, EPERM } = constants.errno
  const { limits } = end
  if (isProcessRefused(end, error)) {
    const { message: _, ...rest } = LIMIT_ERRORS.processes(limits)
    return rest
  }
  if (error.errno === ENOSPC || error.errno === EFBIG) {
    return {
      type: 'DiskLimit',
      hint: 'Write less, or set run.limits.workspace in skills.config.toml',
      limit: { name: 'workspace', value: limits.workspaceBytes },
    }
  }
  if (error.errno === EMFILE) {
    return {
      hint: 'Close files that are not used any more',
      limit: { name: 'open_files', value: limits.openFiles },
    }
  }
  if (error.errno === EPERM && findFailedLine(error).includes('mmap')) {
    return {
      hint: 'Without a control group, memory can be shared by a file only: map one in /dev/shm, or pass MAP_PRIVATE if no other process uses it',
    }
  }
  return {}
}

/** Formats a signal number as its name, such as `SIGKILL`. */
export function formatSignal(number: number | null): string | undefined {
  if (number === null) return undefined
  const entry = Object.entries(constants.signals).find(([, value]) => value === number)
  return entry?.[0] ?? `signal ${number}`
}

function hasExceededCpuTime({ exit, limits }: LimitedEnd): boolean {
  if (exit.endedBecause === 'cpu') return true
  const signal = formatSignal(exit.signal)
  // A process that ignores the first signal is killed a second later.
  const isEnded = signal === 'SIGKILL' && (exit.cpuMs ?? 0) >= limits.cpuMs
  return signal === 'SIGXCPU' || isEnded
}

function isProcessRefused({ exit, isolation }: FunctionEnd, error: RunError & { errno: unknown }) {
  const isThread = error.message === "can't start new thread"
  if (error.errno !== constants.errno.EAGAIN && !isThread) return false
  if (exit.processesHit) return true
  // Without a counter of refusals, EAGAIN is ambiguous: a nonblocking read returns the same number.
  const isBounded = isolation.limits['processes']?.startsWith('rlimit') === true
  return isBounded && (isThread || FORK_PATTERN.test(findFailedLine(error)))
}

/** Returns the line of code that raised the exception; empty without a traceback. */
function findFailedLine({ traceback }: RunError): string {
  const lines = traceback?.trim().split('\n') ?? []
  return lines.filter((each) => !/^[\s~^]*$/.test(each)).at(-2) ?? ''
}

const LIMIT_ERRORS = {
  wall: ({ wallMs }: Limits): RunError => ({
    type: 'Timeout',
    message: `The run took longer than ${spellDuration(wallMs)}`,
    hint: 'Allow more time with --timeout or timeoutMs, up to run.max_timeout in skills.config.toml, or do less work',
    limit: { name: 'wall', value: wallMs },
  }),
  output: ({ outputBytes }: Limits): RunError => ({
    type: 'OutputLimit',
    message: `The run printed more than ${formatByteLimit(outputBytes)}`,
    hint: 'Print less, write it into a blob, or set run.limits.output in skills.config.toml',
    limit: { name: 'output', value: outputBytes },
  }),
  network: ({ networkBytes }: Limits): RunError => ({
    type: 'NetworkLimit',
    message: `The run sent and received more than ${formatByteLimit(networkBytes)} over its network`,
    hint: 'Transfer less, or set run.limits.network_bytes in skills.config.toml',
    limit: { name: 'network_bytes', value: networkBytes },
  }),
  inodes: ({ inodes }: Limits): RunError => ({
    type: 'DiskLimit',
    message: `The run created more than ${inodes} files and folders`,
    hint: 'Create fewer files, or set run.limits.workspace in skills.config.toml: a run has a file for each 4 KiB of it',
    limit: { name: 'inodes', value: inodes },
  }),
  disk: ({ workspaceBytes, inodes }: Limits): RunError => ({
    type: 'DiskLimit',
    message: `The run's folders on disk hold more than ${formatByteLimit(workspaceBytes)} or ${inodes} files, with deleted ones that are open. The kernel has no limit for a folder on disk, so the run was ended instead of the write`,
    hint: 'Write less, remove files, or set run.limits.workspace in skills.config.toml',
    limit: { name: 'workspace', value: workspaceBytes },
  }),
  'hidden files': ({ workspaceBytes }: Limits): RunError => ({
    type: 'DiskLimit',
    message: `The disk lost more than ${formatByteLimit(workspaceBytes)} while the run kept files open that cannot be counted`,
    hint: 'Keep no deleted file in a mapping or in the queue of a socket, or set run.limits.workspace in skills.config.toml',
    limit: { name: 'workspace', value: workspaceBytes },
  }),
  processes: ({ processes }: Limits): RunError => ({
    type: 'ProcessLimit',
    message: `The run started more than ${processes} processes and threads`,
    hint: 'Start fewer processes and threads, or set run.limits.processes in skills.config.toml',
    limit: { name: 'processes', value: processes },
  }),
  memory: ({ memoryBytes }: Limits): RunError => ({
    type: 'MemoryLimit',
    message: `The run needed more than ${formatByteLimit(memoryBytes)} of memory`,
    hint: 'Work on smaller pieces, or set run.limits.memory in skills.config.toml',
    limit: { name: 'memory', value: memoryBytes },
  }),
  totalMemory: ({ totalMemoryBytes }: Limits): RunError => ({
    type: 'MemoryLimit',
    message: `All runs together needed more than ${formatByteLimit(totalMemoryBytes ?? computeDefaultTotal())} of memory`,
    hint: 'Run fewer at one time, or set run.limits.total_memory in skills.config.toml',
    limit: { name: 'total_memory', value: totalMemoryBytes ?? computeDefaultTotal() },
  }),
  cpu: ({ cpuMs }: Limits): RunError => ({
    type: 'CpuLimit',
    message: `The run used more than ${spellDuration(cpuMs)} of processor time`,
    hint: 'Let it do less, or set run.limits.cpu_time in skills.config.toml to allow more',
    limit: { name: 'cpu', value: cpuMs },
  }),
}
