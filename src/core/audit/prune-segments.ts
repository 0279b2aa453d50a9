import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '../../util/durable-file.ts'
import { filterSegments } from './audit-paths.ts'
import type { AuditRecord, AuditRepair } from './audit-record.ts'
import { readLastRecord } from './audit-tail.ts'

/** What of a log has to stay; all of it where neither is set. */
export interface Retention {
  /** Records that are older may go. */
  ttlMs?: number | undefined
  /** Files that were closed may go where all together are larger. */
  quotaBytes?: number | undefined
}

/** A file that may go, and the record by which the chain stays whole without it. */
export interface PrunableSegment {
  file: string
  record: AuditRepair
}

/** So many at a time: nobody who writes is to wait for long. */
const MAX_PER_PRUNING = 64
/** A file holds records of this part of the time that they stay. */
const SEGMENTS_PER_TTL = 8

/**
 * The oldest files that nobody has to keep. The newest one always stays, and whatever does not end
 * in a record: that is for somebody to look at. To be called with the lock.
 */
export function planPruning(
  dir: string,
  names: readonly string[],
  { ttlMs = Infinity, quotaBytes = Infinity }: Retention,
): PrunableSegment[] {
  if (ttlMs === Infinity && quotaBytes === Infinity) return []
  const files = filterSegments(names).map((name) => join(dir, name))
  const oldest = Date.now() - ttlMs
  let bytes = files.reduce((sum, file) => sum + statSync(file).size, 0)
  const prunable: PrunableSegment[] = []
  for (const file of files.slice(0, Math.min(MAX_PER_PRUNING, files.length - 1))) {
    const isTooMuch = bytes > quotaBytes
    const last = isTooMuch ? readLastRecord(file) : readLastIfExpired(file, oldest)
    if (!last) break
    bytes -= statSync(file).size
    prunable.push({
      file,
      record: createPruneRecord(last, isTooMuch ? 'audit.quota' : 'audit.ttl'),
    })
  }
  return prunable
}

/** Most files are too young by what the file system says: they need not be read. */
function readLastIfExpired(file: string, oldest: number): AuditRecord | undefined {
  if (statSync(file).mtimeMs >= oldest) return undefined
  const last = readLastRecord(file)
  return last && Date.parse(last.time) < oldest ? last : undefined
}

function createPruneRecord({ seq, hash, time }: AuditRecord, setting: string): AuditRepair {
  const problem = `Records up to ${seq} were removed, as ${setting} says`
  return { event: 'pruned', problem, through: { seq, hash, time } }
}

/** Removes files whose removal is on the disk, the oldest first: what is left is the end of a chain. */
export async function removePruned(
  dir: string,
  prunable: readonly PrunableSegment[],
): Promise<void> {
  for (const { file } of prunable) rmSync(file, { force: true })
  await syncFolder(dir)
}

/** Whether a file has been written to for so long that the next record belongs into another. */
export function isRotationDue(file: string, { ttlMs }: Retention): boolean {
  if (ttlMs === undefined) return false
  const began = readStartTime(file)
  return began !== undefined && began < Date.now() - ttlMs / SEGMENTS_PER_TTL
}

/** When the first record of a file was written. */
function readStartTime(file: string): number | undefined {
  const fd = openSync(file, 'r')
  try {
    const start = Buffer.alloc(80)
    const length = readSync(fd, start, 0, start.length, 0)
    const [, time] = /^\{"seq":\d+,"time":"([^"]+)"/.exec(start.toString('utf8', 0, length)) ?? []
    const began = Date.parse(time ?? '')
    return Number.isNaN(began) ? undefined : began
  } finally {
    closeSync(fd)
  }
}
