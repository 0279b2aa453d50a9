import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { describeFiles, type PackedFile } from '../packing/packed-file.ts'
import { compareContent } from '../signing/verify/compare-content.ts'
import { tryReadContent } from './check-installed.ts'
import { isLeftOutByOthers } from './exchange/foreign-hash.ts'
import type { InstallPlaces } from './install-places.ts'
import { readLockFile, type LockedSkill } from './lock-file.ts'

/** A folder that the lock does not have, compared with the files that would replace it. */
export type ForeignFolder = { isSame: true } | { isSame: false; difference: string }

interface ReplacingFiles extends Pick<LockedSkill, 'name' | 'folder' | 'files'> {
  /** Files of the source that are not installed. */
  leftOut?: readonly PackedFile[] | undefined
}

const MAX_SHOWN = 3

/**
 * Compares the folder of a skill that the lock does not have, as when another tool installed it. It
 * is the same if each of its files is one of the source: replacing it loses nothing. Undefined if
 * there is none.
 */
export async function compareForeignFolder(
  places: InstallPlaces,
  { name, folder, files, leftOut = [] }: ReplacingFiles,
): Promise<ForeignFolder | undefined> {
  if (readLockFile(places.lock).some((each) => each.name === name)) return undefined
  const path = join(places.skills, folder)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return undefined
  if (!stat.isDirectory()) return { isSame: false, difference: 'it is a link or a file' }
  const content = await tryReadContent(path)
  if (typeof content === 'string') return { isSame: false, difference: content }
  const known = [...files, ...describeFiles(leftOut)]
  const modes = new Map(known.map((each) => [each.path, each.mode]))
  // Another tool may have set other permissions; an installation sets those of the source.
  const found = content.map((each) =>
    each.mode === '120000' ? each : { ...each, mode: modes.get(each.path) ?? each.mode },
  )
  const { changed, extra, missing } = compareContent(known, found)
  const installed = new Set(files.map((each) => each.path))
  const lacking = missing.filter((each) => installed.has(each) && !isLeftOutByOthers(each))
  const differences = [
    ...changed.map((each) => `changed ${each}`),
    ...extra.map((each) => `extra ${each}`),
    ...lacking.map((each) => `missing ${each}`),
  ]
  if (differences.length === 0) return { isSame: true }
  const shown = differences.slice(0, MAX_SHOWN).join(', ')
  const more = differences.length - MAX_SHOWN
  return { isSame: false, difference: more > 0 ? `${shown} and ${more} more` : shown }
}
