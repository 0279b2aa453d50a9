import { readdir, rm, stat } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isLeftBehind } from '../../../util/owner.ts'
import { getMarkerPath, convertMarkerToRecord } from './open-record.ts'
import {
  getOpenFolder,
  buildRecordLocation,
  getRecordFile,
  type RecordLocation,
  type RunFolder,
} from './record-locations.ts'
import { readMarker } from './record-file.ts'
import { isRunId } from './run-id.ts'
import type { RunRecord } from './run-record.ts'

/** Age from which a marker without a complete line belongs to a run that never began. */
const INCOMPLETE_MARKER_MS = 60_000

/** A run that began and has no record yet. */
export interface OpenRun {
  location: RecordLocation
  record: RunRecord
  /** The process that ran it is gone. */
  isInterrupted: boolean
}

/** Reads one active run; undefined if no active run has this id. */
export async function readOpenRun(folder: RunFolder, id: string): Promise<OpenRun | undefined> {
  const { dir } = folder
  const marker = getMarkerPath(dir, id)
  const stored = readMarker(marker)
  if (!stored) return undefined
  const location = buildRecordLocation(id, stored.record.started_at)
  // The marker is removed after the record is written, so both may exist.
  if (existsSync(getRecordFile(dir, location))) return undefined
  const isInterrupted = await isAbandoned(folder, marker, stored.owner)
  return { location, record: stored.record, isInterrupted }
}

/** Reads all active runs. */
export async function readOpenRuns(folder: RunFolder): Promise<OpenRun[]> {
  const found: OpenRun[] = []
  for (const name of await listOpenNames(folder.dir)) {
    const run = isRunId(name) ? await readOpenRun(folder, name) : undefined
    if (run) found.push(run)
  }
  return found
}

/** Converts markers of killed processes to records and removes incomplete markers. */
export async function finishInterruptedRuns(folder: RunFolder): Promise<void> {
  const { dir } = folder
  for (const name of await listOpenNames(dir)) {
    if (!isRunId(name)) continue
    const marker = getMarkerPath(dir, name)
    const stored = readMarker(marker)
    if (!stored) {
      if ((await readMarkerAge(marker)) > INCOMPLETE_MARKER_MS) await rm(marker, { force: true })
    } else if (await isAbandoned(folder, marker, stored.owner)) {
      await convertMarkerToRecord(dir, buildRecordLocation(name, stored.record.started_at))
    }
  }
}

/** True if the process of the run is gone, or could not write the record. */
async function isAbandoned(
  { ownerMark, active }: RunFolder,
  marker: string,
  owner = '',
): Promise<boolean> {
  if (owner === ownerMark) return !active.has(marker)
  return isLeftBehind(owner, await readMarkerAge(marker))
}

async function readMarkerAge(marker: string): Promise<number> {
  const status = await stat(marker).catch(() => undefined)
  return status ? Date.now() - status.mtimeMs : 0
}

async function listOpenNames(dir: string): Promise<string[]> {
  return await readdir(getOpenFolder(dir)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

/** Returns the log file of an active run. */
export function getOpenLogsFile(dir: string, id: string): string {
  return join(getOpenFolder(dir), `${id}.logs`)
}
