import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { syncFolder } from '../../util/durable-file.ts'
import { createOwnName, sweepLeftovers } from '../../util/leftovers.ts'
import { FolderLock } from '../audit/audit-lock.ts'
import type { PackedFile } from '../packing/packed-file.ts'
import { digestFolder } from '../skills/content/read-content.ts'
import {
  applyAgentPlaces,
  checkAgentPlaces,
  recordEntries,
  type EntryChange,
} from './agents/change-agent-places.ts'
import type { InstallPlaces } from './install-places.ts'
import { readLockFile, writeLockFile, type LockedSkill } from './lock-file.ts'

/** Refuses folders of the project that are links: files would be written elsewhere. */
function preparePlaces({ skills, work }: InstallPlaces): void {
  for (const path of [dirname(skills), skills, work, join(work, 'staged'), join(work, 'swaps')]) {
    mkdirSync(path, { recursive: true })
    if (lstatSync(path).isDirectory()) continue
    throw new SkillsError(
      'file/outside',
      `"${path}" is a link, and skills are not installed through links`,
      {
        hint: `Replace the link by a folder: rm "${path}"`,
      },
    )
  }
  writeFileSync(join(work, '.gitignore'), '*\n')
}

/** Writes the files to a new folder in which no host looks for skills; returns its path. */
export async function stageFiles(
  places: InstallPlaces,
  folder: string,
  files: readonly PackedFile[],
): Promise<string> {
  preparePlaces(places)
  const staged = join(places.work, 'staged')
  await sweepLeftovers(staged)
  const target = join(staged, createOwnName(), folder)
  for (const { path, bytes, isExecutable } of files) {
    const file = join(target, path)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, bytes, { flag: 'wx', mode: isExecutable ? 0o755 : 0o644, flush: true })
  }
  return target
}

/** Changes of the lock and of folders that happen together. */
export interface InstallChange {
  /** Receives the lock as it is now; throws to refuse. */
  update(skills: readonly LockedSkill[]): readonly LockedSkill[]
  folder: string
  /** Undefined to remove the folder. */
  staged: string | undefined
  /** Changes the lock and the places of agents only. */
  keepsFolder?: boolean
}

/** Swaps one folder and writes the lock; another process waits, and a killed one is undone. */
export async function applyChange(places: InstallPlaces, change: InstallChange): Promise<void> {
  await withInstallLock(places, async (checkOwner) => {
    const locked = readLockFile(places.lock)
    const { skills, ...entries } = findEntries(change, locked)
    await checkAgentPlaces(places, entries)
    const target = join(places.skills, change.folder)
    const journal = join(places.work, 'swaps', change.folder)
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
    rmSync(journal, { recursive: true, force: true })
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

/** Folders whose replacement another process began, and did not finish yet. */
export function listUnfinishedSwaps({ work }: InstallPlaces): string[] {
  const swaps = join(work, 'swaps')
  return existsSync(swaps) ? readdirSync(swaps).sort() : []
}

/** Undoes what a killed process left. */
export async function recoverInstall(places: InstallPlaces): Promise<void> {
  if (existsSync(places.work)) await withInstallLock(places, async () => {})
}

/** Throws if another process took the lock, as it does when this one is stopped for too long. */
type CheckOwner = () => void

async function withInstallLock(
  places: InstallPlaces,
  run: (checkOwner: CheckOwner) => Promise<void>,
): Promise<void> {
  preparePlaces(places)
  const lock = new FolderLock(places.work)
  await lock.acquire()
  const checkOwner = () => {
    if (lock.isFenced()) throw lostLockError()
  }
  try {
    await undoSwaps(places, checkOwner)
    await run(checkOwner)
  } catch (thrown) {
    // The process that took the lock has undone the swap.
    if (!lock.isFenced()) await undoSwaps(places, checkOwner)
    throw thrown
  } finally {
    lock.release()
  }
}

/** The lock decides: a swap counts if the lock has its result, and is undone otherwise. */
async function undoSwaps(places: InstallPlaces, checkOwner: CheckOwner): Promise<void> {
  const swaps = join(places.work, 'swaps')
  for (const folder of readdirSync(swaps)) {
    const journal = join(swaps, folder)
    const target = join(places.skills, folder)
    const old = join(journal, 'old')
    const locked = readLockFile(places.lock).find((each) => each.folder === folder)
    const isNew = existsSync(join(journal, 'new'))
    const hasOld = lstatSync(old, { throwIfNoEntry: false }) !== undefined
    const isUndone = (isNew || hasOld) && !(await isInstalled(target, locked))
    checkOwner()
    if (isUndone) {
      rmSync(target, { recursive: true, force: true })
      if (hasOld) renameSync(old, target)
    }
    await applyAgentPlaces(places, journal, locked)
    rmSync(journal, { recursive: true, force: true })
  }
}

async function isInstalled(target: string, locked: LockedSkill | undefined): Promise<boolean> {
  const stat = lstatSync(target, { throwIfNoEntry: false })
  if (!locked || !stat) return !locked && !stat
  return stat.isDirectory() && (await digestFolder(target)) === locked.tree
}

function lostLockError(): SkillsError {
  return new SkillsError(
    'run/busy',
    'Another process took over while this one was stopped; nothing was changed',
    { hint: 'Type the command again' },
  )
}
