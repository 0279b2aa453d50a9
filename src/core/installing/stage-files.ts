import { lstatSync, mkdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../errors.ts'
import { writeIgnoreFile } from '../../util/files/write-ignore-file.ts'
import { createOwnName, sweepLeftovers } from '../../util/leftovers.ts'
import type { PackedFile } from '../packing/packed-file.ts'
import { writePackedFiles } from '../packing/write-files.ts'
import type { InstallPlaces } from './install-places.ts'
import { locateSignatures } from './installed-signatures.ts'

/** Folder for files that are not installed yet, or not any more; leftovers are swept. */
export function locateStaged({ work }: Pick<InstallPlaces, 'work'>): string {
  return join(work, 'staged')
}

/** Folder for the journals of changes, by the folder of the skill. */
export function locateSwaps({ work }: Pick<InstallPlaces, 'work'>): string {
  return join(work, 'swaps')
}

function listPlaces(places: InstallPlaces): string[] {
  const { skills, work } = places
  const inner = [locateStaged(places), locateSwaps(places), locateSignatures(places)]
  return [dirname(skills), skills, work, ...inner]
}

/** Refuses folders that are files, and to change skills also links: files would be written elsewhere. */
export function checkPlaces(places: InstallPlaces, { allowsLinks = false } = {}): void {
  for (const path of listPlaces(places)) {
    const stat = (allowsLinks ? statSync : lstatSync)(path, { throwIfNoEntry: false })
    if (!stat || stat.isDirectory()) continue
    throw new SkillsError(
      'file/outside',
      `"${path}" is a link or a file, and skills are installed into folders only`,
      { hint: `Replace it by a folder: rm "${path}"` },
    )
  }
}

/** Creates missing folders. */
export async function preparePlaces(places: InstallPlaces): Promise<void> {
  checkPlaces(places)
  for (const path of listPlaces(places)) mkdirSync(path, { recursive: true })
  await writeIgnoreFile(places.work)
}

/** Writes the files to a new folder in which no host looks for skills; returns its path. */
export async function stageFiles(
  places: InstallPlaces,
  folder: string,
  files: readonly PackedFile[],
): Promise<string> {
  await preparePlaces(places)
  const staged = locateStaged(places)
  await sweepLeftovers(staged)
  const target = join(staged, createOwnName(), folder)
  try {
    writePackedFiles(target, files, { isDurable: true })
    return target
  } catch (thrown) {
    removeStaged(target)
    throw thrown
  }
}

/** Removes the files of `stageFiles`, if they were not installed. */
export function removeStaged(staged: string): void {
  rmSync(dirname(staged), { recursive: true, force: true })
}
