import { existsSync, mkdirSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { once } from '../../../util/once.ts'
import { createGroup, readCounter } from './cgroup-files.ts'

/** Name of the group around the groups of all runs, of every process on this machine. */
export const TOTAL_GROUP_NAME = 'skills.runs'

const MAX_CREATE_ATTEMPTS = 100

/** Memory limit and usage files of one cgroup version. */
export interface MemoryFiles {
  limit: string
  usage: string
  set(folder: string, bytes: number): void
}

/** Parent of the groups of runs, with a memory limit. */
export interface TotalGroup {
  parent: string
  memory: MemoryFiles
  bytes: number
  /** Called before groups are created below. */
  prepare?: (folder: string) => void
}

/** Creates a run's group below the group of all runs, which is removed with its last run. */
export function createBelowTotal(total: TotalGroup, name: string, created: string[]): string {
  const folder = join(total.parent, TOTAL_GROUP_NAME)
  for (let attempt = 1; ; attempt++) {
    const isNew = createIfMissing(folder)
    try {
      total.prepare?.(folder)
      setTotalLimit(folder, total, isNew)
      return createGroup(join(folder, name), created)
    } catch (error) {
      // The last run of another process may have just ended and removed the group.
      if (existsSync(folder) || attempt === MAX_CREATE_ATTEMPTS) throw error
    }
  }
}

/**
 * Computes the default memory limit of all runs together: 75% of the memory of this machine or
 * container.
 */
export const computeDefaultTotal: () => number = once(() => {
  const constrained = process.constrainedMemory()
  const here = totalmem()
  return Math.floor((constrained > 0 && constrained < here ? constrained : here) * 0.75)
})

/**
 * Keeps the strictest limit requested so far, but never lowers a limit below the memory in use:
 * another process's new limit must not kill running code.
 */
function setTotalLimit(folder: string, { memory, bytes }: TotalGroup, isNew: boolean): void {
  const currentLimit = readCounter(join(folder, memory.limit))
  const isBound = currentLimit > 0 && currentLimit <= bytes
  const isInUse = readCounter(join(folder, memory.usage)) > bytes
  if (isBound || (isInUse && !isNew)) return
  memory.set(folder, bytes)
}

function createIfMissing(folder: string): boolean {
  try {
    mkdirSync(folder)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}
