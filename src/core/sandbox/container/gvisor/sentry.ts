import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { findHierarchy1, findHierarchy2 } from '../../cgroups/cgroup-mounts.ts'
import type { ControlGroup } from '../../cgroups/control-group.ts'
import { resolveGroupFolder } from '../engine-group.ts'

const MAX_MOVES = 100
const PAUSE_MS = 10

/** True if a process of the host is the kernel of this container. */
export function isSentry(argv: readonly string[], containerId: string): boolean {
  return argv[0] === 'runsc-sandbox' && containerId !== '' && argv.includes(containerId)
}

/**
 * Moves all processes of a container into a control group: gVisor's kernel, its server of files and
 * the processes that hold the memory of the run. No code of a skill runs yet.
 */
export function groupSentry(group: ControlGroup, readContainerId: () => string): ControlGroup {
  return {
    ...group,
    add: async (pid) => {
      const folder = findContainerGroup(pid, readContainerId())
      for (let attempt = 0; attempt < MAX_MOVES; attempt++) {
        const members = readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n')
        const pids = members.filter((each) => each !== '').map(Number)
        if (pids.length === 0) return
        for (const each of pids) await addLiving(group, each)
        await sleep(PAUSE_MS)
      }
      throw new Error('its processes cannot be moved into a control group')
    },
  }
}

/** The group that podman created; another one could have processes of the host. */
function findContainerGroup(pid: number, containerId: string): string {
  const unified = findHierarchy2(['memory', 'pids'])
  const folder = unified
    ? resolveGroupFolder(pid, unified.top, '')
    : resolveGroupFolder(pid, findHierarchy1('memory')?.top, 'memory')
  const isOwn = folder.split('/').some((each) => each.startsWith(`libpod-${containerId}`))
  if (containerId === '' || !isOwn) throw new Error('podman created no control group for it')
  return folder
}

async function addLiving(group: ControlGroup, pid: number): Promise<void> {
  try {
    await group.add(pid)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
