import { accessSync, constants, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { removeGroup } from './cgroup-files.ts'
import { findHierarchy2 } from './cgroup-mounts.ts'
import { ownerMark } from '../owner.ts'

const REQUIRED_CONTROLLERS = ['memory', 'pids']
/** Bounds nothing: had where it is handed down. */
const OPTIONAL_CONTROLLERS = ['cpu']
const LEAF_GROUP_NAME = /^skills\..*\.self$/

/**
 * The nearest group of version 2, from this process's own upwards, that may hold groups of runs.
 * Its own may only where nothing but this process is in it, which then moves into a leaf: the
 * kernel allows no process beside groups that have limits, except at the very top.
 */
export function findParentGroup(): string | undefined {
  const hierarchy = findHierarchy2(REQUIRED_CONTROLLERS)
  if (!hierarchy) return undefined
  for (let group = hierarchy.own; ; group = dirname(group)) {
    // The leaf that this process moved to before.
    if (!LEAF_GROUP_NAME.test(basename(group)) && canContainRuns(group, group === hierarchy.own))
      return group
    if (group === hierarchy.top) return undefined
  }
}

/** Hands controllers on to the groups below. */
export function enableControllers(group: string): void {
  const missing = REQUIRED_CONTROLLERS.filter((each) => !isEnabled(group, each))
  if (missing.length > 0) {
    writeFileSync(subtreeControlPath(group), missing.map((each) => `+${each}`).join(' '))
  }
  for (const each of OPTIONAL_CONTROLLERS.filter((name) => !isEnabled(group, name))) {
    try {
      writeFileSync(subtreeControlPath(group), `+${each}`)
    } catch {
      // Not handed down to here.
    }
  }
}

function canContainRuns(group: string, isOwn: boolean): boolean {
  try {
    accessSync(group, constants.W_OK)
    // Who moves a process needs this right at the nearest group above both ends.
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
  return readFileSync(subtreeControlPath(group), 'utf8').trim().split(' ').includes(controller)
}

function subtreeControlPath(group: string): string {
  return join(group, 'cgroup.subtree_control')
}
