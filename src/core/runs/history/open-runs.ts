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

/** A mark without a whole line is of a run that never began, once it is this old. */
const INCOMPLETE_MARKER_MS = 60_000

/** A run that has begun and has no record yet. */
export interface OpenRun {
  place: RecordLocation
  record: RunRecord
  /** The process that ran it is gone. */
  isInterrupted: boolean
}

/** One run under way; undefined where there is none of this id. */
export async function readOpenRun(folder: RunFolder, id: string): Promise<OpenRun | undefined> {
  const { dir } = folder
  const marker = getMarkerPath(dir, id)
  const stored = readMarker(marker)
  if (!stored) return undefined
  const place = buildRecordLocation(id, stored.record.started_at)
  // Between the record and the end of its mark, both are there.
  if (existsSync(getRecordFile(dir, place))) return undefined
  const isInterrupted = await isAbandoned(folder, marker, stored.owner)
  return { place, record: stored.record, isInterrupted }
}

/** All runs under way. */
export async function readOpenRuns(folder: RunFolder): Promise<OpenRun[]> {
  const found: OpenRun[] = []
  for (const name of await listOpenNames(folder.dir)) {
    const run = isRunId(name) ? await readOpenRun(folder, name) : undefined
    if (run) found.push(run)
  }
  return found
}

/** Puts runs whose process was killed among the finished ones; removes marks of no use. */
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

/** Nobody goes on with it: its process is gone, or could not write its record. */
async function isAbandoned(
  { ownerMark: mark, active }: RunFolder,
  marker: string,
  owner = '',
): Promise<boolean> {
  if (owner === mark) return !active.has(marker)
  return isLeftBehind(owner, await readMarkerAge(marker))
}

async function readMarkerAge(marker: string): Promise<number> {
  const found = await stat(marker).catch(() => undefined)
  return found ? Date.now() - found.mtimeMs : 0
}

async function listOpenNames(dir: string): Promise<string[]> {
  return await readdir(getOpenFolder(dir)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

/** The file of a run's logs while it is under way. */
export function getOpenLogsFile(dir: string, id: string): string {
  return join(getOpenFolder(dir), `${id}.logs`)
}
