import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { listGroups, killGroup, removeGroup } from './cgroup-files.ts'
import type { RequestedGroupLimits, ControlGroup } from './control-group.ts'
import { findParentGroup } from './cgroup-parent.ts'
import { findHierarchy2 } from './cgroup-mounts.ts'
import { computeDefaultTotal, TOTAL_GROUP_NAME } from './cgroup-total.ts'
import { createVersion1Group, listVersion1Parents } from './cgroup-version1.ts'
import { createVersion2Group } from './cgroup-version2.ts'
import { isLeftBehind, ownerMark } from '../owner.ts'

const GROUP_PREFIX = 'skills.'
const REMOVAL_ATTEMPTS = 500
/** For groups of dead processes; the next start tries again. */
const SWEEP_ATTEMPTS = 20
const REMOVAL_PAUSE_MS = 10

/**
 * Creates a control group. Returns undefined without permission, or if a limit cannot be applied.
 */
export function createControlGroup(
  id: string,
  limits: RequestedGroupLimits,
): ControlGroup | undefined {
  const name = `${GROUP_PREFIX}${ownerMark()}.${id}`
  const all = { ...limits, totalMemoryBytes: limits.totalMemoryBytes ?? computeDefaultTotal() }
  const created: string[] = []
  try {
    const group = isVersion2()
      ? createVersion2Group(name, all, created)
      : createVersion1Group(name, all, created)
    const remove = async () => {
      group.close?.()
      await removeGroups(group.folders)
    }
    return { ...group, remove }
  } catch {
    for (const folder of created) removeGroupAndTotal(folder)
    return undefined
  }
}

/** Limits of a group that only tests whether one can be created. */
const TRIAL_LIMITS = { memoryBytes: 64 * 1024 ** 2, totalMemoryBytes: undefined, processes: 16 }

/** Tries whether this process can create control groups with limits. */
export async function canCreateControlGroups(): Promise<boolean> {
  const group = createControlGroup('trial', TRIAL_LIMITS)
  await group?.remove()
  return group !== undefined
}

async function removeGroups(folders: readonly string[]): Promise<void> {
  for (let attempt = 0; attempt < REMOVAL_ATTEMPTS; attempt++) {
    if (folders.map(removeGroupAndTotal).every(Boolean)) return
    for (const folder of folders) killGroup(folder)
    await sleep(REMOVAL_PAUSE_MS)
  }
}

/** Describes the limits that the group enforces, for the result of a run. */
export function describeGroupLimits(group: ControlGroup | undefined): Record<string, string> {
  if (!group) return {}
  const { kind, cpuMs } = group
  return { memory: kind, total_memory: kind, processes: kind, ...(cpuMs && { cpu: kind }) }
}

/** Kills and removes the groups that dead processes left behind. */
export function sweepControlGroups(): void {
  const parents = isVersion2() ? [findParentGroup() ?? []].flat() : listVersion1Parents()
  const folders = [...new Set(parents)]
    .flatMap((parent) => [parent, join(parent, TOTAL_GROUP_NAME)])
    .flatMap((parent) => listGroups(parent).map((name) => ({ name, folder: join(parent, name) })))
    .filter(({ name, folder }) => name.startsWith(GROUP_PREFIX) && isAbandoned(name, folder))
    .map(({ folder }) => folder)
  for (const folder of folders) killGroup(folder)
  for (let attempt = 0; attempt < SWEEP_ATTEMPTS; attempt++) {
    if (folders.map(removeGroupAndTotal).every(Boolean)) return
    // Killed processes take a moment to exit. Blocking is acceptable because leftovers are rare.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REMOVAL_PAUSE_MS)
  }
}

/**
 * Checks age as well as owner: another container may see the same groups, but not the processes
 * that own them.
 */
function isAbandoned(name: string, folder: string): boolean {
  const { mtimeMs = Infinity } = statSync(folder, { throwIfNoEntry: false }) ?? {}
  return isLeftBehind(name.slice(GROUP_PREFIX.length), Date.now() - mtimeMs)
}

function isVersion2(): boolean {
  return findHierarchy2(['memory', 'pids']) !== undefined
}

/** Also removes the group of all runs after its last run. */
function removeGroupAndTotal(folder: string): boolean {
  const isGone = removeGroup(folder)
  if (isGone && dirname(folder).endsWith(`/${TOTAL_GROUP_NAME}`)) removeGroup(dirname(folder))
  return isGone
}
