import { chownSync } from 'node:fs'
import { randomInt } from 'node:crypto'

/** User ids of runs started by root: a range that no system and no container tool hands out. */
const FIRST_USER = 1_879_048_192
const USERS = 2 ** 27

/** A user id of one run alone: what the kernel counts for each user is then its own. */
export function userOfRun(): number {
  return FIRST_USER + randomInt(USERS)
}

/** Whether a number was handed out here, now or before. */
export function isUserOfRun(user: number): boolean {
  return user >= FIRST_USER
}

/** Gives an empty folder to a user of its own, where runs are not the caller. */
export function giveToRun(folder: string): void {
  if (process.getuid?.() !== 0) return
  const user = userOfRun()
  chownSync(folder, user, user)
}
