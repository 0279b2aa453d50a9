import { formatBytes } from '../../../util/quantity.ts'
import type { Limits, SandboxProcess } from '../../sandbox/backend.ts'

/** Commands of a session and the processes in its background together have this much more memory. */
const MEMORY_FACTOR = 2

/** Processes that the kernel has killed or refused. */
export type KernelKills = ReturnType<NonNullable<SandboxProcess['countKills']>>

/** Computes the limits of a living sandbox from those of a run. */
export function computeSessionLimits(limits: Limits): Limits {
  return { ...limits, memoryBytes: limits.memoryBytes * MEMORY_FACTOR }
}

export function describeMemory({ memoryBytes }: Limits): string {
  return `used more than ${formatBytes(memoryBytes)} of memory, ${MEMORY_FACTOR} times run.limits.memory`
}

export function describeFull({ workspaceBytes, inodes }: Limits): string {
  return `The workspace is full, with more than ${formatBytes(workspaceBytes)} (run.limits.workspace) or ${inodes} files: each write to a file, also in /tmp, fails with "File too large" until files are removed`
}

/** Describes what the kernel did since the earlier counts. */
export function describeKills(now: KernelKills, before: KernelKills, limits: Limits): string[] {
  const isOut = now.memory > before.memory
  const isRefused = now.processes > before.processes
  return [
    ...(isOut
      ? [
          `The largest process of the session was killed, since all of its processes together ${describeMemory(limits)}`,
        ]
      : []),
    ...(isRefused
      ? [
          `A process or thread was not started, since the session has ${limits.processes} already (run.limits.processes)`,
        ]
      : []),
  ]
}
