import { statSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { yieldEvery } from '../../../util/slices/yield-every.ts'
import { sweepLeftovers } from '../../../util/leftovers.ts'
import { openUsage } from '../../storage/usage.ts'
import { finishInterruptedRuns } from './open-runs.ts'
import {
  listRecordDays,
  getDraftsFolder,
  parseLocationId,
  getLogsFile,
  listRecordLocations,
  getRecordFile,
  parseLocationTime,
  type RecordLocation,
  type RunFolder,
} from './record-locations.ts'
import type { ExpiredRuns } from './run-store.ts'
import { selectExpired, type MeasuredRecord } from './select-expired.ts'

/** Limits of the run store. */
export interface RunStoreLimits {
  /** Bytes of all records together. */
  quotaBytes: number
  ttlMs: number
  /** Called before records are removed, so that the audit log has it. */
  onRemoving?: (ids: readonly string[]) => Promise<void>
  /** Called for each run whose record was removed. */
  onRemoved?: (id: string) => Promise<void>
}

/** Age from which logs without a record are removed. */
const STRAY_LOGS_MS = 3_600_000
const NO_THROW = { throwIfNoEntry: false } as const

/** Removes expired records, then the oldest ones until the quota is met. Counts the rest. */
export async function expireRuns(
  folder: RunFolder,
  limits: RunStoreLimits,
  dryRun: boolean,
): Promise<ExpiredRuns> {
  const { dir } = folder
  const usage = openUsage(dir)
  const usageMark = usage.mark()
  if (!dryRun) {
    await sweepLeftovers(getDraftsFolder(dir))
    await finishInterruptedRuns(folder)
  }
  const { expired, result } = selectExpired(await measureRecords(dir), limits)
  if (dryRun) return result
  await announceRemoval(
    expired.map(({ location }) => location),
    limits,
  )
  for (const { location } of expired) await removeRecordFiles(dir, location, limits)
  for (const day of await listRecordDays(dir)) await cleanDayFolder(dir, day)
  usage.set(result.kept.bytes, usageMark)
  return result
}

/** Removes expired records only, without reading other records. */
export async function removeOldRuns(folder: RunFolder, limits: RunStoreLimits): Promise<void> {
  const { dir } = folder
  await sweepLeftovers(getDraftsFolder(dir))
  await finishInterruptedRuns(folder)
  const oldest = Date.now() - limits.ttlMs
  let freed = 0
  for (const day of (await listRecordDays(dir)).toReversed()) {
    if (Date.parse(day) >= oldest) break
    const all = await listRecordLocations(dir, day)
    const old = all.filter((location) => parseLocationTime(location) < oldest)
    await announceRemoval(old, limits)
    for (const location of old) {
      freed += measureRecord(dir, location)
      await removeRecordFiles(dir, location, limits)
    }
    await cleanDayFolder(dir, day)
  }
  openUsage(dir).subtract(freed)
}

/** Tells the audit log which records are removed next. */
export async function announceRemoval(
  locations: readonly RecordLocation[],
  { onRemoving }: Pick<RunStoreLimits, 'onRemoving'>,
): Promise<void> {
  if (locations.length > 0) await onRemoving?.(locations.map(parseLocationId))
}

/** The record is removed first: logs without a record are cleaned up later. */
export async function removeRecordFiles(
  dir: string,
  location: RecordLocation,
  { onRemoved }: Pick<RunStoreLimits, 'onRemoved'>,
): Promise<void> {
  await rm(getRecordFile(dir, location), { force: true })
  await rm(getLogsFile(dir, location), { force: true })
  await onRemoved?.(parseLocationId(location))
}

/** Returns the bytes of a record with its logs. */
export function measureRecord(dir: string, location: RecordLocation): number {
  const files = [getRecordFile(dir, location), getLogsFile(dir, location)]
  return files.reduce((sum, file) => sum + (statSync(file, NO_THROW)?.size ?? 0), 0)
}

interface LocatedRecord extends MeasuredRecord {
  location: RecordLocation
}

/** Measures all records, oldest first. */
async function measureRecords(dir: string): Promise<LocatedRecord[]> {
  const all: LocatedRecord[] = []
  const breathe = yieldEvery()
  for (const day of await listRecordDays(dir)) {
    for (const location of await listRecordLocations(dir, day)) {
      const startedMs = parseLocationTime(location)
      all.push({ location, startedMs, bytes: measureRecord(dir, location) })
      await breathe()
    }
  }
  return all.toReversed()
}

/** Removes logs without a record, and the folder of a day if it is empty. */
async function cleanDayFolder(dir: string, day: string): Promise<void> {
  const folder = join(dir, day)
  const files = new Set(await readdir(folder).catch(() => []))
  for (const file of files) {
    if (!file.endsWith('.logs') || files.has(file.replace(/logs$/, 'json'))) continue
    const { mtimeMs = Infinity } = statSync(join(folder, file), NO_THROW) ?? {}
    if (Date.now() - mtimeMs > STRAY_LOGS_MS) await rm(join(folder, file), { force: true })
  }
  // Fails if a file remains or was just written.
  await rmdir(folder).catch(() => {})
}
