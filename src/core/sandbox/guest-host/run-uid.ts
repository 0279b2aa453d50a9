import { chownSync } from 'node:fs'
import { randomInt } from 'node:crypto'

/** User ids for runs started by root: a range that no system or container tool assigns. */
const FIRST_RUN_UID = 1_879_048_192
const RUN_UID_COUNT = 2 ** 27

/** Allocates a user id for one run, so that the kernel's per-user counters count only this run. */
export function allocateRunUid(): number {
  return FIRST_RUN_UID + randomInt(RUN_UID_COUNT)
}

/** True if a run may have this user id, now or in the past. */
export function isRunUid(user: number): boolean {
  return user >= FIRST_RUN_UID
}

/** Gives an empty folder a user id of its own, if runs do not use the caller's. */
export function chownToRunUid(folder: string): void {
  if (process.getuid?.() !== 0) return
  const user = allocateRunUid()
  chownSync(folder, user, user)
}
