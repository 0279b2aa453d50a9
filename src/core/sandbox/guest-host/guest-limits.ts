import type { Limits } from '../backend.ts'

/** Limits that the guest sets on the skill's process, and the enforcement of every limit. */
export interface GuestLimits {
  /** Soft and hard limits by the kernel's name. */
  values: Record<string, [number, number]>
  where: Record<string, string>
}

/**
 * `grouped`: a control group limits memory and processes. `countsUsers`: RLIMIT_NPROC counts only
 * this run.
 */
export function computeGuestLimits(
  limits: Limits,
  { grouped, countsUsers }: { grouped: boolean; countsUsers: boolean },
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
  if (grouped) return { values, where }
  values['DATA'] = toLimitPair(limits.memoryBytes)
  where['memory'] = 'rlimit, each process'
  if (countsUsers) values['NPROC'] = toLimitPair(limits.processes)
  where['processes'] = countsUsers ? 'rlimit' : 'none'
  return { values, where }
}

function toLimitPair(value: number): [number, number] {
  return [value, value]
}
