import { renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { createOwnName } from '../leftovers.ts'

/**
 * Removes a file or a tree in one step: a killed process leaves it complete, or as a leftover in
 * `trash`, a folder on the same disk whose leftovers are swept.
 */
export function removeWhole(path: string, trash: string): void {
  const removed = join(trash, createOwnName())
  renameSync(path, removed)
  rmSync(removed, { recursive: true, force: true })
}
