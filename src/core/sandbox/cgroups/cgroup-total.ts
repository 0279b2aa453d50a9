import { existsSync, mkdirSync } from 'node:fs'
import { totalmem } from 'node:os'
import { join } from 'node:path'
import { once } from '../../../util/once.ts'
import { createGroup, readCounter } from './cgroup-files.ts'

/** The group around those of all runs, whichever process started them. */
export const TOTAL_GROUP_NAME = 'skills.runs'

const MAX_CREATE_ATTEMPTS = 100

/** Files of one version that hold a limit of memory and its use. */
export interface MemoryFiles {
  limit: string
  usage: string
  set(folder: string, bytes: number): void
}

/** The group that a run's own is made in, bounded in memory. */
export interface TotalGroup {
  parent: string
  memory: MemoryFiles
  bytes: number
  /** Called before anything is made below. */
  prepare?: (folder: string) => void
}

/** Makes a run's group below the one of all runs, which goes whenever its last run goes. */
export function createBelowTotal(total: TotalGroup, name: string, made: string[]): string {
  const folder = join(total.parent, TOTAL_GROUP_NAME)
  for (let attempt = 1; ; attempt++) {
    const isNew = createIfMissing(folder)
    try {
      total.prepare?.(folder)
      setTotalLimit(folder, total, isNew)
      return createGroup(join(folder, name), made)
    } catch (error) {
      // Somebody's last run may have ended right now and taken the group with it.
      if (existsSync(folder) || attempt === MAX_CREATE_ATTEMPTS) throw error
    }
  }
}

/** What a machine gives to all runs together, unless told otherwise. */
export const computeDefaultTotal: () => number = once(() => {
  const constrained = process.constrainedMemory()
  const here = totalmem()
  return Math.floor((constrained > 0 && constrained < here ? constrained : here) * 0.75)
})

/** The strictest that anybody asked for holds, but nobody's runs are ended by somebody's new limit. */
function setTotalLimit(folder: string, { memory, bytes }: TotalGroup, isNew: boolean): void {
  const held = readCounter(join(folder, memory.limit))
  const isBound = held > 0 && held <= bytes
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
