import type { Limits } from '../../backend.ts'
import type { GuestLimits } from '../../guest-host/guest-limits.ts'

/** gVisor refuses to change these. They count what its own kernel holds, in the memory of the run. */
const FIXED_LIMITS: ReadonlySet<string> = new Set(['SIGPENDING', 'MSGQUEUE', 'NICE', 'RTPRIO'])

/** Adds what gVisor limits instead of the host's kernel. */
export function adaptLimitsToGvisor(
  { values, where, ...others }: GuestLimits,
  { processes }: Pick<Limits, 'processes'>,
): GuestLimits {
  const settable = Object.entries(values).filter(([name]) => !FIXED_LIMITS.has(name))
  return {
    ...others,
    // gVisor does not count the process that is about to start.
    values: { ...Object.fromEntries(settable), NPROC: [processes - 1, processes - 1] },
    // Its file systems in memory do not count files, whose memory is that of the run.
    where: { ...where, processes: 'rlimit', inodes: 'none' },
  }
}
