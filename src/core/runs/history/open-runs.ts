import { readdir, rm, stat } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isLeftBehind } from '../../../util/owner.ts'
import { markerOf, settleMarker } from './open-record.ts'
import { openIn, placeOf, recordFile, type Place, type RunFolder } from './places.ts'
import { readMark } from './record-file.ts'
import { isRunId } from './run-id.ts'
import type { RunRecord } from './run-record.ts'

/** A mark without a whole line is of a run that never began, once it is this old. */
const STILLBORN_MS = 60_000

/** A run that has begun and has no record yet. */
export interface OpenRun {
  place: Place
  record: RunRecord
  /** The process that ran it is gone. */
  isInterrupted: boolean
}

/** One run under way; undefined where there is none of this id. */
export async function readOpenRun(folder: RunFolder, id: string): Promise<OpenRun | undefined> {
  const { dir } = folder
  const marker = markerOf(dir, id)
  const stored = readMark(marker)
  if (!stored) return undefined
  const place = placeOf(id, stored.record.started_at)
  // Between the record and the end of its mark, both are there.
  if (existsSync(recordFile(dir, place))) return undefined
  const isInterrupted = await isOver(folder, marker, stored.owner)
  return { place, record: stored.record, isInterrupted }
}

/** All runs under way. */
export async function readOpenRuns(folder: RunFolder): Promise<OpenRun[]> {
  const found: OpenRun[] = []
  for (const name of await openNames(folder.dir)) {
    const run = isRunId(name) ? await readOpenRun(folder, name) : undefined
    if (run) found.push(run)
  }
  return found
}

/** Puts runs whose process was killed among the finished ones; removes marks of no use. */
export async function settleOpenRuns(folder: RunFolder): Promise<void> {
  const { dir } = folder
  for (const name of await openNames(dir)) {
    if (!isRunId(name)) continue
    const marker = markerOf(dir, name)
    const stored = readMark(marker)
    if (!stored) {
      if ((await ageOf(marker)) > STILLBORN_MS) await rm(marker, { force: true })
    } else if (await isOver(folder, marker, stored.owner)) {
      await settleMarker(dir, placeOf(name, stored.record.started_at))
    }
  }
}

/** Nobody goes on with it: its process is gone, or could not write its record. */
async function isOver({ mark, active }: RunFolder, marker: string, owner = ''): Promise<boolean> {
  if (owner === mark) return !active.has(marker)
  return isLeftBehind(owner, await ageOf(marker))
}

async function ageOf(marker: string): Promise<number> {
  const found = await stat(marker).catch(() => undefined)
  return found ? Date.now() - found.mtimeMs : 0
}

async function openNames(dir: string): Promise<string[]> {
  return await readdir(openIn(dir)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}

/** The file of a run's logs while it is under way. */
export function openLogs(dir: string, id: string): string {
  return join(openIn(dir), `${id}.logs`)
}
