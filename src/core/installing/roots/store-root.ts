import { existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { removeWhole } from '../../../util/files/remove-whole.ts'
import { createOwnName, sweepLeftovers } from '../../../util/leftovers.ts'
import { withFolderLock } from '../../audit/with-folder-lock.ts'
import { checkCachedRoot, getRootsCache, locateCachedRoot } from '../../config/roots/cached-root.ts'
import { readRootPins, writeRootPins, type RootPin } from '../../config/roots/root-pins.ts'
import { digestFolder } from '../../skills/content/read-content.ts'
import type { PreparedRoot } from './prepare-root.ts'

/** Writes files to a new folder of the cache, from which no skill is loaded; returns its path. */
export async function stageRoot(
  dataDir: string,
  { files, tree }: Pick<PreparedRoot, 'files' | 'tree'>,
): Promise<string> {
  const work = join(getRootsCache(dataDir), '.staged')
  mkdirSync(work, { recursive: true, mode: 0o700 })
  await sweepLeftovers(work)
  const staged = join(work, createOwnName())
  try {
    for (const { path, bytes, isExecutable } of files) {
      const file = join(staged, 'files', path)
      mkdirSync(dirname(file), { recursive: true })
      // Read-only, because an edit would only make the root invalid.
      writeFileSync(file, bytes, { flag: 'wx', mode: isExecutable ? 0o555 : 0o444 })
    }
    const found = await digestFolder(join(staged, 'files'))
    if (found !== tree) throw storeError(tree, found)
    return staged
  } catch (thrown) {
    removeStagedRoot(staged)
    throw thrown
  }
}

export function removeStagedRoot(staged: string): void {
  rmSync(staged, { recursive: true, force: true })
}

/** Moves staged files to the folder of their digest; a folder with other files is replaced. */
export async function storeRoot(dataDir: string, tree: string, staged: string): Promise<void> {
  const place = locateCachedRoot(dataDir, tree)
  await withRootsLock(dataDir, async () => {
    if ((await checkCachedRoot(place, tree)) === 'verified') return
    if (existsSync(place.dir)) removeWhole(place.dir, dirname(staged))
    renameSync(staged, place.dir)
  })
}

/** Changes the pins of a configuration file; another process waits. */
export async function updateRootPins(
  dataDir: string,
  file: string,
  change: (pins: readonly RootPin[]) => readonly RootPin[],
): Promise<void> {
  await withRootsLock(dataDir, async () => await writeRootPins(file, change(readRootPins(file))))
}

/** Removes the files of a digest from the cache; false if they are not there. */
export async function dropCachedRoot(dataDir: string, tree: string): Promise<boolean> {
  const { dir } = locateCachedRoot(dataDir, tree)
  if (!existsSync(dir)) return false
  const work = join(getRootsCache(dataDir), '.staged')
  mkdirSync(work, { recursive: true, mode: 0o700 })
  await sweepLeftovers(work)
  await withRootsLock(dataDir, async () => {
    await Promise.resolve(removeWhole(dir, work))
  })
  return true
}

async function withRootsLock(dataDir: string, run: () => Promise<void>): Promise<void> {
  const folder = getRootsCache(dataDir)
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  await sweepLeftovers(folder)
  await withFolderLock(folder, run)
}

function storeError(tree: string, found: string): SkillsError {
  return new SkillsError(
    'skill/changed',
    `The written files have the digest ${found}, expected ${tree}`,
    { hint: 'Try again; if it happens again, check the disk' },
  )
}
