import { setTimeout as sleep } from 'node:timers/promises'
import { toSkillsError } from '../../errors.ts'

/** Each try waits for the engine itself; together they take hours. */
const MAX_TRIES = 500
const PAUSE_MS = 2000

/** Repeats a write that the engine did not answer in time, until it does. Never throws. */
export async function repeatWhileAway(write: () => Promise<void>): Promise<void> {
  for (let attempt = 0; attempt < MAX_TRIES; attempt++) {
    await sleep(PAUSE_MS, undefined, { ref: false })
    try {
      return await write()
    } catch (error) {
      if (!isEngineAway(error)) return
    }
  }
}

export function isEngineAway(error: unknown): boolean {
  return toSkillsError(error).code === 'fleet/unavailable'
}
