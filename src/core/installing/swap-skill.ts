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
import { LOCK_FILE_NAME, readLockFile, writeLockFile, type LockedSkill } from './lock-file.ts'

/** Places of one project. */
export interface InstallPlaces {
  lock: string
  skills: string
  /** On the disk of `skills`, so that a rename is one step. */
  work: string
}

export function locateInstall(projectDir: string): InstallPlaces {
  const agents = join(projectDir, '.agents')
  return {
    lock: join(projectDir, LOCK_FILE_NAME),
    skills: join(agents, 'skills'),
    work: join(agents, '.skills-install'),
  }
}

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
}

/** Swaps one folder and writes the lock; another process waits, and a killed one is undone. */
export async function applyChange(places: InstallPlaces, change: InstallChange): Promise<void> {
  await withInstallLock(places, async () => {
    const next = change.update(readLockFile(places.lock))
    const target = join(places.skills, change.folder)
    const journal = join(places.work, 'swaps', change.folder)
    mkdirSync(journal)
    if (lstatSync(target, { throwIfNoEntry: false })) renameSync(target, join(journal, 'old'))
    else writeFileSync(join(journal, 'new'), '')
    await syncFolder(journal)
    if (change.staged !== undefined) renameSync(change.staged, target)
    await syncFolder(places.skills)
    await writeLockFile(places.lock, next)
    rmSync(journal, { recursive: true, force: true })
  })
}

/** Undoes what a killed process left. */
export async function recoverInstall(places: InstallPlaces): Promise<void> {
  if (existsSync(places.work)) await withInstallLock(places, async () => {})
}

async function withInstallLock(places: InstallPlaces, run: () => Promise<void>): Promise<void> {
  preparePlaces(places)
  const lock = new FolderLock(places.work)
  await lock.acquire()
  try {
    await undoSwaps(places)
    await run()
  } catch (thrown) {
    await undoSwaps(places)
    throw thrown
  } finally {
    lock.release()
  }
}

/** The lock decides: a swap counts if the lock has its result, and is undone otherwise. */
async function undoSwaps(places: InstallPlaces): Promise<void> {
  const swaps = join(places.work, 'swaps')
  for (const folder of readdirSync(swaps)) {
    const journal = join(swaps, folder)
    const target = join(places.skills, folder)
    const old = join(journal, 'old')
    const locked = readLockFile(places.lock).find((each) => each.folder === folder)
    const isNew = existsSync(join(journal, 'new'))
    const hasOld = lstatSync(old, { throwIfNoEntry: false }) !== undefined
    if ((isNew || hasOld) && !(await isInstalled(target, locked))) {
      rmSync(target, { recursive: true, force: true })
      if (hasOld) renameSync(old, target)
    }
    rmSync(journal, { recursive: true, force: true })
  }
}

async function isInstalled(target: string, locked: LockedSkill | undefined): Promise<boolean> {
  const stat = lstatSync(target, { throwIfNoEntry: false })
  if (!locked || !stat) return !locked && !stat
  return stat.isDirectory() && (await digestFolder(target)) === locked.tree
}
