import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createOwnName } from '../../../util/leftovers.ts'

/** The folder of one store's records, and the runs that the store goes on with. */
export interface RunFolder {
  readonly dir: string
  /** Names the store in marks of runs: its process, and which store of that process it is. */
  readonly ownerMark: string
  /** Files of the marks of runs that have not ended. */
  readonly active: Set<string>
}

export function openRunFolder(dir: string): RunFolder {
  return { dir, ownerMark: createOwnName(), active: new Set() }
}

/** A record's place: one folder a day, names in the order of time. */
export interface RecordLocation {
  /** `2026-11-21`. */
  day: string
  /** `102030456-run_…`: time of day and id. */
  name: string
}

const DAY = /^\d{4}-\d{2}-\d{2}$/
const NAME = /^(\d{9})-(run_[0-9a-f]{20,64})$/

/** Where the record of a run lies that started then. */
export function buildRecordLocation(id: string, startedAt: string): RecordLocation {
  const day = startedAt.slice(0, 10)
  return { day, name: `${startedAt.slice(11, 23).replace(/\D/g, '')}-${id}` }
}

/** The file of a finished record. */
export function getRecordFile(dir: string, { day, name }: RecordLocation): string {
  return join(dir, day, `${name}.json`)
}

/** The file of logs that are too long to lie in the record. */
export function getLogsFile(dir: string, { day, name }: RecordLocation): string {
  return join(dir, day, `${name}.logs`)
}

/** Where runs under way are marked, a file each. */
export function getOpenFolder(dir: string): string {
  return join(dir, '.open')
}

/** Where files lie that take the place of others when they are whole. */
export function getDraftsFolder(dir: string): string {
  return join(dir, '.drafts')
}

/** The id in a record's name. */
export function parseLocationId({ name }: RecordLocation): string {
  return name.slice(10)
}

/** When the run of this place started. */
export function parseLocationTime({ day, name }: RecordLocation): number {
  const time = name.slice(0, 9).replace(/^(..)(..)(..)(...)$/, '$1:$2:$3.$4')
  return Date.parse(`${day}T${time}Z`)
}

/** Days that have records, the newest first. */
export async function listRecordDays(dir: string): Promise<string[]> {
  const days = (await readNames(dir)).filter((name) => DAY.test(name))
  return days.sort().toReversed()
}

/** Finished records of a day, the newest first. */
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
