import { existsSync, lstatSync, readdirSync, renameSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { removeWhole } from '../../util/files/remove-whole.ts'
import { sweepLeftovers } from '../../util/leftovers.ts'
import { digestPlace } from './agents/agent-place.ts'
import { applyAgentPlaces, readJournalEntries } from './agents/change-agent-places.ts'
import type { InstallPlaces } from './install-places.ts'
import { readLockFile, type LockedSkill } from './lock-file.ts'
import { locateStaged, locateSwaps } from './stage-files.ts'

/** Throws if another process took the lock, as it does when this one is stopped for too long. */
export type CheckOwner = () => void

/** Folders whose replacement another process began, and did not finish yet. */
export function listUnfinishedSwaps(places: InstallPlaces): string[] {
  const swaps = locateSwaps(places)
  return existsSync(swaps) ? readdirSync(swaps).sort() : []
}

/** The lock decides: a swap counts if the lock has its result, and is undone otherwise. */
export async function undoSwaps(places: InstallPlaces, checkOwner: CheckOwner): Promise<void> {
  const swaps = locateSwaps(places)
  const folders = readdirSync(swaps)
  // A draft of the lock, in the folder of the project, is swept while its journal tells of it.
  if (folders.length > 0) await sweepLeftovers(dirname(places.lock))
  for (const folder of folders) {
    const journal = join(swaps, folder)
    // Journals are folders: a link of the project would lead to files of others.
    if (lstatSync(journal).isDirectory()) {
      const locked = readLockFile(places.lock).find((each) => each.folder === folder)
      await undoFolder(places, { folder, journal, locked, checkOwner })
      await applyAgentPlaces(places, journal, locked)
    }
    removeWhole(journal, locateStaged(places))
  }
}

interface FoundSwap {
  folder: string
  journal: string
  locked: LockedSkill | undefined
  checkOwner: CheckOwner
}

/** Moves the old folder back, unless the new one is installed, or files of the user are there. */
async function undoFolder(
  places: InstallPlaces,
  { folder, journal, locked, checkOwner }: FoundSwap,
): Promise<void> {
  const target = join(places.skills, folder)
  const old = join(journal, 'old')
  const hasOld = lstatSync(old, { throwIfNoEntry: false }) !== undefined
  if (!hasOld && !existsSync(join(journal, 'new'))) return
  const hasTarget = lstatSync(target, { throwIfNoEntry: false }) !== undefined
  const tree = await digestPlace(target)
  if (locked ? tree === locked.tree : !hasTarget) return
  const isOwn = readJournalEntries(journal).some((each) => each.tree === tree)
  if (hasTarget && !isOwn) return
  checkOwner()
  if (hasTarget) removeWhole(target, locateStaged(places))
  if (hasOld) renameSync(old, target)
}
