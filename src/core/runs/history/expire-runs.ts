import { statSync } from 'node:fs'
import { readdir, rm, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { yieldEvery } from '../../../util/yield-every.ts'
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

/** How many records are kept, and for how long. */
export interface RunStoreLimits {
  /** Of all records together. */
  quotaBytes: number
  ttlMs: number
  /** Told of each run whose record is gone. */
  onRemoved?: (id: string) => Promise<void>
}

/** Beyond the quota the oldest records go until this share of it is left. */
const REMAINING_SHARE = 0.9
/** Logs whose record is not there yet, or not any more. */
const STRAY_LOGS_MS = 3_600_000
const NO_THROW = { throwIfNoEntry: false } as const

/** Removes records that are too old, then the oldest ones until all fit; counts the rest. */
export async function expireRuns(
  folder: RunFolder,
  limits: RunStoreLimits,
  dryRun: boolean,
): Promise<ExpiredRuns> {
  const { dir } = folder
  const usage = openUsage(dir)
  const mark = usage.mark()
  if (!dryRun) {
    await sweepLeftovers(getDraftsFolder(dir))
    await finishInterruptedRuns(folder)
  }
  const oldest = Date.now() - limits.ttlMs
  const found = await measureRecords(dir)
  const total = found.reduce((sum, { bytes }) => sum + bytes, 0)
  const done: ExpiredRuns = { removed: 0, bytesFreed: 0, kept: { count: 0, bytes: 0 } }
  const most = total > limits.quotaBytes ? limits.quotaBytes * REMAINING_SHARE : Infinity
  for (const [at, { place, bytes }] of found.entries()) {
    // The newest one stays, whatever its size.
    const isTooMuch = total - done.bytesFreed > most && at < found.length - 1
    if (parseLocationTime(place) < oldest || isTooMuch) {
      if (!dryRun) await removeRecordFiles(dir, place, limits)
      done.removed += 1
      done.bytesFreed += bytes
    } else {
      done.kept.count += 1
      done.kept.bytes += bytes
    }
  }
  if (dryRun) return done
  for (const day of await listRecordDays(dir)) await cleanDayFolder(dir, day)
  usage.set(done.kept.bytes, mark)
  return done
}

/** The same for what is too old alone: looks at no record that stays. */
export async function removeOldRuns(folder: RunFolder, limits: RunStoreLimits): Promise<void> {
  const { dir } = folder
  await sweepLeftovers(getDraftsFolder(dir))
  await finishInterruptedRuns(folder)
  const oldest = Date.now() - limits.ttlMs
  let freed = 0
  for (const day of (await listRecordDays(dir)).toReversed()) {
    if (Date.parse(day) >= oldest) break
    for (const place of await listRecordLocations(dir, day)) {
      if (parseLocationTime(place) >= oldest) continue
      freed += measureRecord(dir, place)
      await removeRecordFiles(dir, place, limits)
    }
    await cleanDayFolder(dir, day)
  }
  openUsage(dir).subtract(freed)
}

/** The record first: without it the logs are nobody's. */
export async function removeRecordFiles(
  dir: string,
  place: RecordLocation,
  { onRemoved }: Pick<RunStoreLimits, 'onRemoved'>,
): Promise<void> {
  await rm(getRecordFile(dir, place), { force: true })
  await rm(getLogsFile(dir, place), { force: true })
  await onRemoved?.(parseLocationId(place))
}

/** What one record takes with its logs. */
export function measureRecord(dir: string, place: RecordLocation): number {
  const files = [getRecordFile(dir, place), getLogsFile(dir, place)]
  return files.reduce((sum, file) => sum + (statSync(file, NO_THROW)?.size ?? 0), 0)
}

/** The oldest first. */
async function measureRecords(dir: string): Promise<{ place: RecordLocation; bytes: number }[]> {
  const all: { place: RecordLocation; bytes: number }[] = []
  const breathe = yieldEvery()
  for (const day of await listRecordDays(dir)) {
    for (const place of await listRecordLocations(dir, day)) {
      all.push({ place, bytes: measureRecord(dir, place) })
      await breathe()
    }
  }
  return all.toReversed()
}

/** Removes stray logs and the folder of a day that has nothing left. */
async function cleanDayFolder(dir: string, day: string): Promise<void> {
  const folder = join(dir, day)
  const files = new Set(await readdir(folder).catch(() => []))
  for (const file of files) {
    if (!file.endsWith('.logs') || files.has(file.replace(/logs$/, 'json'))) continue
    const { mtimeMs = Infinity } = statSync(join(folder, file), NO_THROW) ?? {}
    if (Date.now() - mtimeMs > STRAY_LOGS_MS) await rm(join(folder, file), { force: true })
  }
  // Fails where something is left, or was written just now.
  await rmdir(folder).catch(() => {})
}
