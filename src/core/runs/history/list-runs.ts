import { invalidParamError } from '../../../errors.ts'
import { yieldEvery } from '../../../util/slices/yield-every.ts'
import { readOpenRuns, type OpenRun } from './open-runs.ts'
import {
  listRecordDays,
  listRecordLocations,
  getRecordFile,
  parseLocationTime,
  type RecordLocation,
  type RunFolder,
} from './record-locations.ts'
import { readRecord } from './record-file.ts'
import type { RunRecord } from './run-record.ts'
import type { RunPage, RunQuery } from './run-store.ts'

const DEFAULT_LIMIT = 50
const CURSOR = /^(\d{4}-\d{2}-\d{2})\/(\d{9}-run_[0-9a-f]{20,64})$/

/** Lists records by start time, newest first. Records older than `oldest` have expired. */
export async function listRuns(
  folder: RunFolder,
  query: RunQuery,
  oldest: number,
): Promise<RunPage> {
  const { limit = DEFAULT_LIMIT, cursor } = query
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw invalidParamError('limit', `expected a whole number of at least 1, got ${limit}`)
  }
  const runs: { location: RecordLocation; record: RunRecord }[] = []
  const before = cursor === undefined ? undefined : decodeCursor(cursor)
  for await (const each of iterateRuns(folder, before)) {
    if (parseLocationTime(each.location) < oldest && each.record.status !== 'running') break
    if (!matchesQuery(each.record, query)) continue
    runs.push(each)
    if (runs.length > limit) break
  }
  const page = runs.slice(0, limit)
  const last = runs.length > limit ? page.at(-1) : undefined
  return {
    runs: page.map(({ record }) => record),
    next_cursor: last ? encodeCursor(last.location) : null,
  }
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
): AsyncGenerator<{ location: RecordLocation; record: RunRecord }> {
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
      const stored = readRecord(getRecordFile(dir, location))
      const run = underWay.get(name)
      if (stored) yield { location, record: toFinishedRecord(stored.record) }
      else if (run) yield { location, record: toOpenRecord(run) }
    }
  }
}

/** True if a record matches the query. */
export function matchesQuery(record: RunRecord, { status, skill }: RunQuery): boolean {
  if (status !== undefined && record.status !== status) return false
  if (skill === undefined) return true
  return record.skills.some(({ name, version }) => skill === name || skill === `${name}@${version}`)
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
