import { lstatSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import { syncFolder } from '../../../util/durable-file.ts'
import { writeFileWhole } from '../../../util/files/write-file-whole.ts'
import { PENDING_EXTENSION, SNAPSHOTS_FOLDER } from './snapshot-names.ts'

/** Larger snapshots are refused, because they cannot be reviewed. */
export const MAX_SNAPSHOT_BYTES = 1024 * 1024

/** Path of a snapshot on the host. */
export function locateSnapshot(skill: string, suite: string, name: string): string {
  return join(skill, SNAPSHOTS_FOLDER, suite, name)
}

/** Reads a snapshot; undefined if there is none. Links are refused: they may lead anywhere. */
export function readSnapshot(path: string): string | undefined {
  const { folders } = splitSnapshotPath(path)
  for (const folder of folders) if (!isEntry(folder, 'folder')) return undefined
  return isEntry(path, 'file') ? readFileSync(path, 'utf8') : undefined
}

/** Writes a snapshot in one step: a killed process leaves the old content or the new one. */
export async function writeSnapshot(path: string, text: string): Promise<void> {
  const { folders } = splitSnapshotPath(path)
  for (const folder of folders)
    if (!isEntry(folder, 'folder')) mkdirSync(folder, { recursive: true })
  isEntry(path, 'file')
  await writeFileWhole(path, text)
}

/** Removes a snapshot, and its folder if it is empty then. */
export function removeSnapshot(path: string): void {
  if (readSnapshot(path) !== undefined) rmSync(path)
}

/** Moves a pending snapshot to its place. */
export async function acceptSnapshot(path: string): Promise<void> {
  const pending = `${path}${PENDING_EXTENSION}`
  const text = readSnapshot(pending)
  if (text === undefined) return
  isEntry(path, 'file')
  renameSync(pending, path)
  await syncFolder(dirname(path))
}

/** The folders from `tests` to that of the snapshot; those above are the caller's choice. */
function splitSnapshotPath(path: string): { folders: string[] } {
  const suite = dirname(path)
  const snapshots = dirname(suite)
  return { folders: [dirname(snapshots), snapshots, suite] }
}

/** False if nothing is there; refuses everything but a regular file or a folder. */
function isEntry(path: string, kind: 'file' | 'folder'): boolean {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return false
  if (kind === 'file' ? stat.isFile() : stat.isDirectory()) return true
  const found = stat.isSymbolicLink() ? 'a symbolic link' : 'something else'
  throw new SkillsError(
    'file/outside',
    `"${basename(path)}" must be a ${kind}, got ${found}: ${path}`,
    {
      hint: `Replace it with a ${kind}, because snapshots are written there`,
    },
  )
}
