import type { ExpiredRuns } from './run-store.ts'

/** Above the quota, the oldest records are removed until this share of it is used. */
const REMAINING_SHARE = 0.9

export interface MeasuredRecord {
  /** When the run started, in milliseconds since 1970. */
  startedMs: number
  /** Bytes of the record with its logs. */
  bytes: number
}

/** Selects the records that are too old, then the oldest ones until the quota is met. */
export function selectExpired<T extends MeasuredRecord>(
  oldestFirst: readonly T[],
  { ttlMs, quotaBytes }: { ttlMs: number; quotaBytes: number },
): { expired: T[]; result: ExpiredRuns } {
  const oldest = Date.now() - ttlMs
  const total = oldestFirst.reduce((sum, { bytes }) => sum + bytes, 0)
  const maxBytes = total > quotaBytes ? quotaBytes * REMAINING_SHARE : Infinity
  const result: ExpiredRuns = { removed: 0, bytesFreed: 0, kept: { count: 0, bytes: 0 } }
  const expired: T[] = []
  for (const [at, record] of oldestFirst.entries()) {
    // The newest record is never removed, regardless of its size.
    const isTooMuch = total - result.bytesFreed > maxBytes && at < oldestFirst.length - 1
    if (record.startedMs < oldest || isTooMuch) {
      expired.push(record)
      result.removed += 1
      result.bytesFreed += record.bytes
    } else {
      result.kept.count += 1
      result.kept.bytes += record.bytes
    }
  }
  return { expired, result }
}
