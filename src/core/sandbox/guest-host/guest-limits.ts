import type { Limits, SandboxRequest } from '../backend.ts'
import { buildMemoryFilter, encodeFilter } from '../seccomp/seccomp.ts'
import { SYSTEM_CALLS } from '../seccomp/system-calls.ts'

const STACK_BYTES = 8 * 1024 ** 2

/**
 * Limits of what the kernel counts for all processes of a user: a run must leave others their share
 * where a user namespace does not separate them.
 */
const USER_LIMITS: GuestLimits['values'] = {
  // Also counts timers.
  SIGPENDING: [1024, 1024],
  // One message queue of the default size.
  MSGQUEUE: [131_072, 131_072],
  MEMLOCK: [65_536, 65_536],
  NICE: [0, 0],
  RTPRIO: [0, 0],
}

/** Limits that the guest sets on the skill's process, and the enforcement of every limit. */
export interface GuestLimits {
  /** Soft and hard limits by the kernel's name. */
  values: Record<string, [number, number]>
  where: Record<string, string>
  /** Filter in addition to that of the sandbox, in the kernel's format. */
  filter?: Buffer
}

/**
 * `grouped`: a control group limits memory and processes. `countsUsers`: RLIMIT_NPROC counts only
 * this run. `countsMemory`: the runtime polls the memory of the whole run.
 */
export function computeGuestLimits(
  limits: Limits,
  {
    grouped,
    countsUsers,
    countsMemory = false,
  }: { grouped: boolean; countsUsers: boolean; countsMemory?: boolean },
): GuestLimits {
  const cpu = Math.max(1, Math.ceil(limits.cpuMs / 1000))
  const values: GuestLimits['values'] = {
    CPU: [cpu, cpu + 1],
    NOFILE: toLimitPair(limits.openFiles),
    FSIZE: toLimitPair(limits.workspaceBytes),
    CORE: toLimitPair(0),
  }
  const where: GuestLimits['where'] = {
    wall: 'runtime',
    output: 'runtime',
    cpu: 'rlimit, each process',
    open_files: 'rlimit, each process',
    workspace: 'tmpfs',
    inodes: 'runtime',
  }
  if (countsUsers) {
    Object.assign(values, USER_LIMITS, { STACK: [STACK_BYTES, limits.memoryBytes] })
  }
  if (grouped) return { values, where }
  values['DATA'] = toLimitPair(limits.memoryBytes)
  where['memory'] = countsMemory ? 'runtime' : 'rlimit, each process'
  if (countsUsers) values['NPROC'] = toLimitPair(limits.processes)
  where['processes'] = countsUsers ? 'rlimit' : 'none'
  const calls = SYSTEM_CALLS[process.arch]
  if (!countsMemory || !calls) return { values, where }
  return { values, where, filter: encodeFilter(buildMemoryFilter(calls)) }
}

/**
 * Selects the limits that the runtime watches. A sandbox that serves many commands has no limit of
 * its processor time as a whole: the kernel limits each of its processes.
 */
export function selectWatchedLimits({ limits, guest }: SandboxRequest): {
  limits: Limits
  onFull?: ((isFull: boolean) => void) | undefined
} {
  if (guest.kind !== 'commands') return { limits }
  return { limits: { ...limits, cpuMs: Infinity }, onFull: guest.onFull }
}

function toLimitPair(value: number): [number, number] {
  return [value, value]
}
