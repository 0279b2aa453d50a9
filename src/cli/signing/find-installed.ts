import { existsSync, realpathSync } from 'node:fs'
import { homedir } from 'node:os'
import { basename, dirname, resolve } from 'node:path'
import {
  locateInstall,
  locateUserInstall,
  type InstallPlaces,
} from '../../core/installing/install-places.ts'
import type { LockedSkill } from '../../core/installing/lock-file.ts'
import { memoize } from '../../util/memoize.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'

export interface FoundInstalled {
  places: InstallPlaces
  skill: LockedSkill
}

/**
 * Returns a function that finds the installed skill of a folder, by its resolved path. A lock is read
 * for the first folder below its skills: others need none, and no code that reads it.
 */
export async function openInstalled(
  context: Context,
): Promise<(dir: string) => FoundInstalled | undefined> {
  const { projectDir } = await openConfig(context)
  const home = resolve(context.env['HOME'] || homedir())
  const all = [locateInstall(projectDir), locateUserInstall(home, context.env)]
    .filter(({ skills }) => existsSync(skills))
    .map((places) => ({ places, folder: realpathSync.native(places.skills) }))
  if (all.length === 0) return () => undefined
  const { readLockFile } = await import('../../core/installing/lock-file.ts')
  const readLock = memoize(({ lock }: InstallPlaces) => readLockFile(lock))
  return (dir) => {
    const places = all.find(({ folder }) => folder === dirname(dir))?.places
    const skill = places && readLock(places).find(({ folder }) => folder === basename(dir))
    return skill && { places, skill }
  }
}
