import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { removeGroup } from './cgroup-files.ts'
import { findHierarchy2 } from './cgroup-mounts.ts'
import { ownerMark } from '../owner.ts'

const REQUIRED_CONTROLLERS = ['memory', 'pids']
/** Optional, since it only weights: enabled if the parent delegates it. */
const OPTIONAL_CONTROLLERS = ['cpu']
const LEAF_GROUP_NAME = /^skills\..*\.self$/

/**
 * Finds the nearest version 2 group, from this process's own upwards, that may contain the groups
 * of runs. The own group qualifies only if this process is alone in it; the process then moves into
 * a leaf, because the kernel allows no processes in a group whose child groups have limits, except
 * at the root.
 */
export function findParentGroup(): string | undefined {
  const hierarchy = findHierarchy2(REQUIRED_CONTROLLERS)
  if (!hierarchy) return undefined
  for (let group = hierarchy.ownGroup; ; group = dirname(group)) {
    // Skips the leaf that this process moved into before.
    if (
      !LEAF_GROUP_NAME.test(basename(group)) &&
      canContainRuns(group, group === hierarchy.ownGroup)
    )
      return group
    if (group === hierarchy.top) return undefined
  }
}

/** Enables controllers for the groups below. */
export function enableControllers(group: string): void {
  const missing = REQUIRED_CONTROLLERS.filter((each) => !isEnabled(group, each))
  if (missing.length > 0) {
    writeFileSync(getSubtreeControlPath(group), missing.map((each) => `+${each}`).join(' '))
  }
  for (const each of OPTIONAL_CONTROLLERS.filter((name) => !isEnabled(group, name))) {
    try {
      writeFileSync(getSubtreeControlPath(group), `+${each}`)
    } catch {
      // Not delegated to this group.
    }
  }
}

function canContainRuns(group: string, isOwn: boolean): boolean {
  try {
    accessSync(group, constants.W_OK)
    // Moving a process requires write access to the nearest common ancestor.
    accessSync(join(group, 'cgroup.procs'), constants.W_OK)
  } catch {
    return false
  }
  if (REQUIRED_CONTROLLERS.every((each) => isEnabled(group, each))) return true
  try {
    enableControllers(group)
    return true
  } catch {
    return isOwn && moveSelfIntoLeaf(group)
  }
}

function moveSelfIntoLeaf(group: string): boolean {
  const members = readFileSync(join(group, 'cgroup.procs'), 'utf8').trim().split('\n')
  if (members.length !== 1 || Number(members[0]) !== process.pid) return false
  const leaf = join(group, `skills.${ownerMark()}.self`)
  try {
    if (!existsSync(leaf)) mkdirSync(leaf)
    writeFileSync(join(leaf, 'cgroup.procs'), String(process.pid))
    enableControllers(group)
    return true
  } catch {
    writeFileSync(join(group, 'cgroup.procs'), String(process.pid))
    removeGroup(leaf)
    return false
  }
}

function isEnabled(group: string, controller: string): boolean {
  return readFileSync(getSubtreeControlPath(group), 'utf8').trim().split(' ').includes(controller)
}

function getSubtreeControlPath(group: string): string {
  return join(group, 'cgroup.subtree_control')
}
