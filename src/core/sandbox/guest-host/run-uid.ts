import { chownSync } from 'node:fs'
import { randomInt } from 'node:crypto'

/** User ids of runs started by root: a range that no system and no container tool hands out. */
const FIRST_RUN_UID = 1_879_048_192
const RUN_UID_COUNT = 2 ** 27

/** A user id of one run alone: what the kernel counts for each user is then its own. */
export function allocateRunUid(): number {
  return FIRST_RUN_UID + randomInt(RUN_UID_COUNT)
}

/** Whether a number was handed out here, now or before. */
export function isRunUid(user: number): boolean {
  return user >= FIRST_RUN_UID
}

/** Gives an empty folder to a user of its own, where runs are not the caller. */
export function chownToRunUid(folder: string): void {
  if (process.getuid?.() !== 0) return
  const user = allocateRunUid()
  chownSync(folder, user, user)
}
