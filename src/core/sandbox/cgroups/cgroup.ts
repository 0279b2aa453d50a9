import { statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { groupsIn, killGroup, removeGroup } from './cgroup-files.ts'
import type { AskedGroup, ControlGroup } from './control-group.ts'
import { findHome } from './cgroup-home.ts'
import { hierarchyOf2 } from './cgroup-mounts.ts'
import { defaultTotal, TOTAL } from './cgroup-total.ts'
import { makeVersion1, parentsOf1 } from './cgroup-version1.ts'
import { makeVersion2 } from './cgroup-version2.ts'
import { isLeftBehind, ownerMark } from '../owner.ts'

const PREFIX = 'skills.'
const REMOVAL_ATTEMPTS = 500
/** Of what others left: the next start tries again. */
const SWEEP_ATTEMPTS = 20
const REMOVAL_PAUSE_MS = 10

/** Makes a group where this process may; undefined where it may not or a limit does not hold. */
export function makeControlGroup(id: string, limits: AskedGroup): ControlGroup | undefined {
  const name = `${PREFIX}${ownerMark()}.${id}`
  const all = { ...limits, totalMemoryBytes: limits.totalMemoryBytes ?? defaultTotal() }
  const made: string[] = []
  try {
    const group = isVersion2() ? makeVersion2(name, all, made) : makeVersion1(name, all, made)
    const remove = async () => {
      group.close?.()
      await removeAll(group.folders)
    }
    return { ...group, remove }
  } catch {
    for (const folder of made) removeWithTotal(folder)
    return undefined
  }
}

async function removeAll(folders: readonly string[]): Promise<void> {
  for (let attempt = 0; attempt < REMOVAL_ATTEMPTS; attempt++) {
    if (folders.map(removeWithTotal).every(Boolean)) return
    for (const folder of folders) killGroup(folder)
    await sleep(REMOVAL_PAUSE_MS)
  }
}

/** Where it enforces what, as a result says it. */
export function groupLimits(group: ControlGroup | undefined): Record<string, string> {
  if (!group) return {}
  const { kind, cpuMs } = group
  return { memory: kind, totalMemory: kind, processes: kind, ...(cpuMs && { cpu: kind }) }
}

/** Ends and removes what processes that are gone left behind. */
export function sweepControlGroups(): void {
  const parents = isVersion2() ? [findHome() ?? []].flat() : parentsOf1()
  const folders = [...new Set(parents)]
    .flatMap((parent) => [parent, join(parent, TOTAL)])
    .flatMap((parent) => groupsIn(parent).map((name) => ({ name, folder: join(parent, name) })))
    .filter(({ name, folder }) => name.startsWith(PREFIX) && isAbandoned(name, folder))
    .map(({ folder }) => folder)
  for (const folder of folders) killGroup(folder)
  for (let attempt = 0; attempt < SWEEP_ATTEMPTS; attempt++) {
    if (folders.map(removeWithTotal).every(Boolean)) return
    // What was just ended takes a moment to go; there hardly ever is anything.
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, REMOVAL_PAUSE_MS)
  }
}

/** Another container may see the same groups, and none of the processes that they belong to. */
function isAbandoned(name: string, folder: string): boolean {
  const { mtimeMs = Infinity } = statSync(folder, { throwIfNoEntry: false }) ?? {}
  return isLeftBehind(name.slice(PREFIX.length), Date.now() - mtimeMs)
}

function isVersion2(): boolean {
  return hierarchyOf2(['memory', 'pids']) !== undefined
}

/** The group of all runs goes with its last one. */
function removeWithTotal(folder: string): boolean {
  const isGone = removeGroup(folder)
  if (isGone && dirname(folder).endsWith(`/${TOTAL}`)) removeGroup(dirname(folder))
  return isGone
}
