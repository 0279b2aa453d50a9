import { lstatSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { isOwnName } from '../../util/leftovers.ts'
import { readSnapshot } from '../../core/testing/snapshots/snapshot-files.ts'
import { PENDING_EXTENSION, SNAPSHOTS_FOLDER } from '../../core/testing/snapshots/snapshot-names.ts'
import {
  listSuiteSnapshots,
  nameSnapshotFolder,
} from '../../core/testing/suites/suite-snapshots.ts'
import type { Suite } from '../../core/testing/suites/suite.ts'

/** Snapshots of a skill that need a person. */
export interface OpenSnapshots {
  /** Paths of snapshots with a pending text. */
  pending: string[]
  /** Paths of files that no case needs. */
  obsolete: string[]
}

/**
 * Lists the pending and obsolete snapshots below a skill. With `isWhole`, the suites are all of the
 * skill, so that the snapshots of other suites are obsolete; otherwise only those of these suites count.
 */
export function listOpenSnapshots(
  skill: string,
  suites: readonly Suite[],
  isWhole: boolean,
): OpenSnapshots {
  const needed = new Set(suites.flatMap(listSuiteSnapshots))
  const folders = new Set(suites.map(({ file }) => nameSnapshotFolder(file)))
  const pending: string[] = []
  const obsolete: string[] = []
  for (const path of listSnapshotFiles(join(skill, SNAPSHOTS_FOLDER))) {
    const isPending = path.endsWith(PENDING_EXTENSION)
    const base = isPending ? path.slice(0, -PENDING_EXTENSION.length) : path
    const folder = basename(join(path, '..'))
    if (!isWhole && !folders.has(folder)) continue
    if (!needed.has(base)) obsolete.push(path)
    else if (isPending) pending.push(base)
  }
  return { pending, obsolete }
}

/** Regular files of the folders of suites. Links are left alone. */
function listSnapshotFiles(folder: string): string[] {
  if (!isRealFolder(folder)) return []
  return readdirSync(folder)
    .map((name) => join(folder, name))
    .filter(isRealFolder)
    .flatMap((suite) => readdirSync(suite).map((name) => join(suite, name)))
    .filter((path) => !isOwnName(basename(path)) && lstatSync(path).isFile())
    .sort()
}

function isRealFolder(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}

/** The texts of a pending snapshot, before and after. */
export function readPendingSnapshot(path: string): { before: string | undefined; after: string } {
  return { before: readSnapshot(path), after: readSnapshot(`${path}${PENDING_EXTENSION}`) ?? '' }
}
