import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { VisitedProcesses } from '../../guest-host/run-processes.ts'

/**
 * Processes of gVisor on the host, which hold the files of a run. The run has no others, so that
 * the members of its control group are all of them.
 */
export function openSentryProcesses([folder]: readonly string[]): VisitedProcesses {
  return {
    visit: async (visit) => {
      // A group of podman's is not known here.
      if (folder === undefined) return true
      for (const line of readMembers(folder)) if (line !== '') await visit(Number(line))
      return false
    },
  }
}

/** The group is gone at the end of a run. */
function readMembers(folder: string): string[] {
  try {
    return readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n')
  } catch {
    return []
  }
}
