import { lstatSync, mkdirSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { withFolderLock } from '../audit/with-folder-lock.ts'
import { digestPlace } from './agents/agent-place.ts'
import {
  applyAgentPlaces,
  checkAgentPlaces,
  recordEntries,
  type EntryChange,
} from './agents/change-agent-places.ts'
import type { InstalledSkill } from './check-installed.ts'
import type { InstallPlaces } from './install-places.ts'
import { sweepSignatures } from './installed-signatures.ts'
import { readLockFile, writeLockFile, type LockedSkill } from './lock-file.ts'
import { checkPlaces, locateStaged, locateSwaps, preparePlaces } from './stage-files.ts'
import { undoSwaps, type CheckOwner } from './undo-swaps.ts'
import { digestFolder } from '../skills/content/read-content.ts'
import { SkillsError } from '../../errors.ts'
import { syncFolder } from '../../util/durable-file.ts'
import { removeWhole } from '../../util/files/remove-whole.ts'
import { sweepLeftovers } from '../../util/leftovers.ts'

/** Changes of the lock and of folders that happen together. */
export interface InstallChange {
  /** Receives the lock as it is now; throws to refuse. */
  update(skills: readonly LockedSkill[]): readonly LockedSkill[]
  folder: string
  /** Undefined to remove the folder. */
  staged: string | undefined
  /** Changes the lock and the places of agents only. */
  keepsFolder?: boolean
  /** Replaces or removes files that were changed after their installation. */
  dropsEdits: boolean
  /** True if a folder that the lock does not have may be replaced; by default it may not. */
  mayAdopt?: () => Promise<boolean>
}

/** Swaps one folder and writes the lock; another process waits, and a killed one is undone. */
export async function applyChange(places: InstallPlaces, change: InstallChange): Promise<void> {
  await withInstallLock(places, async (checkOwner) => {
    const locked = readLockFile(places.lock)
    const { skills, ...entries } = findEntries(change, locked)
    await checkAgentPlaces(places, entries)
    await checkFolders(places, change, entries)
    const target = join(places.skills, change.folder)
    const journal = join(locateSwaps(places), change.folder)
    checkOwner()
    mkdirSync(journal)
    recordEntries(journal, entries)
    if (change.keepsFolder === true) checkOwner()
    else if (lstatSync(target, { throwIfNoEntry: false })) {
      checkOwner()
      renameSync(target, join(journal, 'old'))
    } else writeFileSync(join(journal, 'new'), '')
    await syncFolder(journal)
    checkOwner()
    if (change.staged !== undefined) renameSync(change.staged, target)
    await syncFolder(places.skills)
    checkOwner()
    await applyAgentPlaces(places, journal, entries.after)
    await writeLockFile(places.lock, skills, checkOwner)
    checkOwner()
    sweepSignatures(places, skills)
    removeWhole(journal, locateStaged(places))
  })
}

/** The next lock; an entry without agents has those from before. */
function findEntries(
  change: InstallChange,
  locked: readonly LockedSkill[],
): EntryChange & { skills: readonly LockedSkill[] } {
  const { folder } = change
  const before = locked.find((each) => each.folder === folder)
  const skills = change
    .update(locked)
    .map((each) =>
      each.folder === folder && each.agents === undefined
        ? { ...each, agents: before?.agents ?? [] }
        : each,
    )
  return { skills, before, after: skills.find((each) => each.folder === folder) }
}

/** Both folders may have changed while the user read the question. */
async function checkFolders(
  places: InstallPlaces,
  { folder, staged, keepsFolder, dropsEdits, mayAdopt }: InstallChange,
  { before, after }: EntryChange,
): Promise<void> {
  if (keepsFolder === true) return
  if (staged !== undefined && (await digestFolder(staged)) !== after?.tree) {
    throw new SkillsError(
      'skill/changed',
      `The files of "${folder}" changed while they were installed; nothing is installed`,
      { hint: 'Type the command again when no other process writes to the folder' },
    )
  }
  const target = join(places.skills, folder)
  if (!lstatSync(target, { throwIfNoEntry: false })) return
  const isReplaceable = before
    ? dropsEdits || (await digestPlace(target)) === before.tree
    : await mayAdopt?.()
  if (isReplaceable !== true) throw changedFilesError(before?.name ?? folder)
}

export function changedFilesError(name: string): SkillsError {
  return new SkillsError(
    'skill/changed',
    `The files of "${name}" were changed after the installation`,
    { hint: 'Type "skills verify" to list them, and pass --force to replace or remove them' },
  )
}

/** Undoes what a killed process left. */
export async function recoverInstall(places: InstallPlaces): Promise<void> {
  checkPlaces(places)
  if (lstatSync(places.work, { throwIfNoEntry: false })) {
    await withInstallLock(places, async () => {})
  }
}

async function withInstallLock(
  places: InstallPlaces,
  run: (checkOwner: CheckOwner) => Promise<void>,
): Promise<void> {
  await preparePlaces(places)
  await withFolderLock(places.work, async (lock) => {
    const checkOwner = () => {
      if (lock.isFenced()) throw lostLockError()
    }
    try {
      await undoSwaps(places, checkOwner)
      await sweepLeftovers(locateStaged(places))
      await run(checkOwner)
    } catch (thrown) {
      // The process that took the lock has undone the swap.
      if (!lock.isFenced()) await undoSwaps(places, checkOwner)
      throw thrown
    }
  })
}

function lostLockError(): SkillsError {
  return new SkillsError(
    'run/busy',
    'Another process took over while this one was stopped; nothing was changed',
    { hint: 'Type the command again' },
  )
}

/** Removes an installed skill; returns the paths of changed copies, which are kept. */
export async function removeSkill(
  places: InstallPlaces,
  { skill, agents }: InstalledSkill,
  dropsEdits: boolean,
): Promise<readonly string[]> {
  await applyChange(places, {
    folder: skill.folder,
    staged: undefined,
    dropsEdits,
    update: (locked) => locked.filter((each) => each.name !== skill.name),
  })
  return agents.filter(({ state }) => state === 'changed').map(({ path }) => path)
}
