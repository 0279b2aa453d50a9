import { closeSync, openSync, readSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { syncFolder } from '../../util/durable-file.ts'
import { filterSegments } from './audit-paths.ts'
import type { AuditRecord, AuditRepair } from './audit-record.ts'
import { readLastRecord } from './audit-tail.ts'

/** Retention of a log; without limits, nothing is removed. */
export interface Retention {
  /** Older records may be removed. */
  ttlMs?: number | undefined
  /** Total size in bytes above which closed segments may be removed. */
  quotaBytes?: number | undefined
}

/** A segment that may be removed, and the record that keeps the chain verifiable without it. */
export interface PrunableSegment {
  file: string
  record: AuditRepair
}

/** Limit per pruning, so that no writer waits long. */
const MAX_PER_PRUNING = 64
/** A segment holds at most this fraction of the retention time. */
const SEGMENTS_PER_TTL = 8

/**
 * Lists the oldest segments that retention allows to remove. The newest one stays, and so does
 * every segment whose last line is not a record: it needs an investigation. Requires the lock.
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
    const exceedsQuota = bytes > quotaBytes
    const last = exceedsQuota ? readLastRecord(file) : readLastIfExpired(file, oldest)
    if (!last) break
    bytes -= statSync(file).size
    prunable.push({
      file,
      record: createPruneRecord(last, exceedsQuota ? 'audit.quota' : 'audit.ttl'),
    })
  }
  return prunable
}

/** The modification time rules out most segments without reading them. */
function readLastIfExpired(file: string, oldest: number): AuditRecord | undefined {
  if (statSync(file).mtimeMs >= oldest) return undefined
  const last = readLastRecord(file)
  return last && Date.parse(last.time) < oldest ? last : undefined
}

function createPruneRecord({ seq, hash, time }: AuditRecord, setting: string): AuditRepair {
  const problem = `Records up to ${seq} were removed, as configured by ${setting}`
  return { event: 'pruned', problem, through: { seq, hash, time } }
}

/**
 * Removes segments whose removal is recorded durably, oldest first, so that the end of the chain
 * remains.
 */
export async function removePruned(
  dir: string,
  prunable: readonly PrunableSegment[],
): Promise<void> {
  for (const { file } of prunable) rmSync(file, { force: true })
  await syncFolder(dir)
}

/** True if a segment covers so much time that the next record must start a new one. */
export function isRotationDue(file: string, { ttlMs }: Retention): boolean {
  if (ttlMs === undefined) return false
  const startTime = readStartTime(file)
  return startTime !== undefined && startTime < Date.now() - ttlMs / SEGMENTS_PER_TTL
}

/** Time of the first record of a segment. */
function readStartTime(file: string): number | undefined {
  const fd = openSync(file, 'r')
  try {
    const start = Buffer.alloc(80)
    const length = readSync(fd, start, 0, start.length, 0)
    const [, time] = /^\{"seq":\d+,"time":"([^"]+)"/.exec(start.toString('utf8', 0, length)) ?? []
    const startTime = Date.parse(time ?? '')
    return Number.isNaN(startTime) ? undefined : startTime
  } finally {
    closeSync(fd)
  }
}
