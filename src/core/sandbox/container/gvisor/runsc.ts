import { DEFAULT_PATH, findProgram } from '../../../../util/find-program.ts'
import type { SandboxRequest } from '../../backend.ts'

/** Finds the program that starts containers in gVisor. */
export function findRunsc(env: SandboxRequest['env']): string | undefined {
  return findProgram('runsc', env['PATH'] ?? DEFAULT_PATH)
}

/** Options of podman, for all commands. The only network is the loopback of gVisor's own stack. */
export function buildRunscOptions(runsc: string): string[] {
  return ['--runtime', runsc, '--runtime-flag', 'network=none']
}

const OWN_PROCESSES = 256
/** Grows with the threads of gVisor that serve a process. */
const PROCESSES_PER_GUEST = 40
const MAX_HOST_PROCESSES = 8192

/**
 * Limit for the processes and threads that gVisor has on the host. gVisor limits those of the run
 * itself.
 */
export function computeHostProcesses(processes: number): number {
  return Math.min(MAX_HOST_PROCESSES, OWN_PROCESSES + PROCESSES_PER_GUEST * processes)
}
