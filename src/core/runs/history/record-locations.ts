import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createOwnName } from '../../../util/leftovers.ts'

/** The folder of a run store, and the active runs of this store. */
export interface RunFolder {
  readonly dir: string
  /** Identifies the store in markers: its process, and the store within the process. */
  readonly ownerMark: string
  /** Logs of active runs, by their marker files. */
  readonly active: Map<string, ActiveLogs>
}

/** Logs that are being written. */
interface ActiveLogs {
  /** Writes what is still in memory to the file, for readers of an active run. */
  flush(): void
}

export function openRunFolder(dir: string): RunFolder {
  return { dir, ownerMark: createOwnName(), active: new Map() }
}

/** Location of a record: one folder for each day, file names in order of time. */
export interface RecordLocation {
  /** Such as `2026-11-21`. */
  day: string
  /** Time of day and id, such as `102030456-run_…`. */
  name: string
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const NAME = /^(\d{9})-(run_[0-9a-f]{20,64})$/

/** Builds the location of a record from the id and the start time. */
export function buildRecordLocation(id: string, startedAt: string): RecordLocation {
  const day = startedAt.slice(0, 10)
  return { day, name: `${startedAt.slice(11, 23).replace(/\D/g, '')}-${id}` }
}

/** Returns the path of a finished record. */
export function getRecordFile(dir: string, { day, name }: RecordLocation): string {
  return join(dir, day, `${name}.json`)
}

/** Returns the path of logs that are too long for the record. */
export function getLogsFile(dir: string, { day, name }: RecordLocation): string {
  return join(dir, day, `${name}.logs`)
}

/** Returns the folder of the marker files. */
export function getOpenFolder(dir: string): string {
  return join(dir, '.open')
}

/** Returns the folder of temporary files that replace others when they are complete. */
export function getDraftsFolder(dir: string): string {
  return join(dir, '.drafts')
}

/** Returns the run id of a location. */
export function parseLocationId({ name }: RecordLocation): string {
  return name.slice(10)
}

/** Returns the start time of a location, in milliseconds. */
export function parseLocationTime({ day, name }: RecordLocation): number {
  const time = name.slice(0, 9).replace(/^(..)(..)(..)(...)$/, '$1:$2:$3.$4')
  return Date.parse(`${day}T${time}Z`)
}

/** Lists days that have records, newest first. */
export async function listRecordDays(dir: string): Promise<string[]> {
  const days = (await readNames(dir)).filter((name) => DAY.test(name))
  return days.sort().toReversed()
}

/** Lists finished records of a day, newest first. */
export async function listRecordLocations(dir: string, day: string): Promise<RecordLocation[]> {
  return (await readNames(join(dir, day)))
    .filter((file) => file.endsWith('.json') && NAME.test(file.slice(0, -5)))
    .sort()
    .toReversed()
    .map((file) => ({ day, name: file.slice(0, -5) }))
}

async function readNames(dir: string): Promise<string[]> {
  return await readdir(dir).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return []
    throw error
  })
}
