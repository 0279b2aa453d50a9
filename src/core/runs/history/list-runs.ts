import { invalidParamError } from '../../../errors.ts'
import { yieldEvery } from '../../../util/slices/yield-every.ts'
import { readOpenRuns, type OpenRun } from './open-runs.ts'
import {
  listRecordDays,
  listRecordLocations,
  parseLocationTime,
  type RecordLocation,
  type RunFolder,
} from './record-locations.ts'
import { readRecord } from './record-file.ts'
import { collectPage } from './run-page.ts'
import type { RunRecord } from './run-record.ts'
import type { RunPage, RunQuery } from './run-store.ts'

/** The end of the year 9999, after which days have more characters. */
const MAX_TIME_MS = Date.UTC(10_000, 0) - 1
const CURSOR = /^(\d{4}-\d{2}-\d{2})\/(\d{9}-run_[0-9a-f]{20,64})$/

/** Lists records by start time, newest first. Records older than `expiry` have expired. */
export async function listRuns(
  folder: RunFolder,
  query: RunQuery,
  expiry: number,
): Promise<RunPage> {
  return await collectPage(iterateListed(folder, query, expiry), query, ({ location }) =>
    encodeCursor(location),
  )
}

async function* iterateListed(
  folder: RunFolder,
  query: RunQuery,
  expiry: number,
): AsyncGenerator<ReadRun> {
  const { sinceMs = -Infinity } = query
  for await (const each of iterateRuns(folder, findStart(query))) {
    if (parseLocationTime(each.location) < sinceMs || hasExpired(each, expiry)) return
    yield each
  }
}

/** The location before which the page begins: that of its cursor or of its time. */
function findStart({ cursor, untilMs }: RunQuery): RecordLocation | undefined {
  return takeEarlier(
    cursor === undefined ? undefined : decodeCursor(cursor),
    untilMs === undefined ? undefined : locateTime(untilMs),
  )
}

function hasExpired({ location, record }: ReadRun, expiry: number): boolean {
  return parseLocationTime(location) < expiry && record.status !== 'running'
}

interface ReadRun {
  location: RecordLocation
  record: RunRecord
}

/** The location that sorts directly after those of all runs before this time. */
function locateTime(ms: number): RecordLocation {
  const time = new Date(Math.min(Math.max(ms, 0), MAX_TIME_MS)).toISOString()
  return { day: time.slice(0, 10), name: time.slice(11, 23).replaceAll(/\D/g, '') }
}

function takeEarlier(
  a: RecordLocation | undefined,
  b: RecordLocation | undefined,
): RecordLocation | undefined {
  if (!a || !b) return a ?? b
  return a.day < b.day || (a.day === b.day && a.name < b.name) ? a : b
}

/** Returns a finished record for display. One with status `running` belongs to a killed process. */
export function toFinishedRecord(record: RunRecord): RunRecord {
  return record.status === 'running' ? { ...record, status: 'interrupted' } : record
}

/** Returns a run without a finished record for display. */
export function toOpenRecord({ record, isInterrupted }: OpenRun): RunRecord {
  return isInterrupted ? toFinishedRecord(record) : record
}

async function* iterateRuns(
  folder: RunFolder,
  before: RecordLocation | undefined,
): AsyncGenerator<ReadRun> {
  const { dir } = folder
  const open = await readOpenRuns(folder)
  const breathe = yieldEvery()
  const days = new Set([
    ...(await listRecordDays(dir)),
    ...open.map(({ location }) => location.day),
  ])
  for (const day of [...days].sort().toReversed()) {
    if (before && day > before.day) continue
    const underWay = new Map(
      open.filter(({ location }) => location.day === day).map((run) => [run.location.name, run]),
    )
    // A run that ended after it was read as open is among the finished ones.
    const finished = await listRecordLocations(dir, day)
    const names = new Set([...finished.map(({ name }) => name), ...underWay.keys()])
    for (const name of [...names].sort().toReversed()) {
      if (before && day === before.day && name >= before.name) continue
      await breathe()
      const location = { day, name }
      const stored = readRecord(dir, location)
      const run = underWay.get(name)
      if (stored) yield { location, record: toFinishedRecord(stored.record) }
      else if (run) yield { location, record: toOpenRecord(run) }
    }
  }
}

function encodeCursor({ day, name }: RecordLocation): string {
  return Buffer.from(`${day}/${name}`).toString('base64url')
}

function decodeCursor(cursor: string): RecordLocation {
  const [, day, name] = CURSOR.exec(Buffer.from(cursor, 'base64url').toString('latin1')) ?? []
  if (day === undefined || name === undefined) {
    throw invalidParamError('cursor', 'it is not a cursor of a page of runs')
  }
  return { day, name }
}
