import type { AuditLog } from './audit-log.ts'
import type { AuditRecord } from './audit-record.ts'

/** Run ids per record, so that its line stays short. */
const MAX_RUNS = 500

/** Writes to the log that run records are about to be removed. Without it, verification misses them. */
export async function auditRemoval(log: AuditLog, runs: readonly string[]): Promise<void> {
  for (let from = 0; from < runs.length; from += MAX_RUNS) {
    const some = runs.slice(from, from + MAX_RUNS)
    const problem = `${some.length} run ${some.length === 1 ? 'record' : 'records'} removed`
    await log.append({ event: 'removed', problem, runs: some }, { durable: true })
  }
}

/** Ids of the runs whose records were removed; empty for another record of the log. */
export function listRemovedRuns(record: AuditRecord): readonly string[] {
  if (record.event !== 'removed' || !Array.isArray(record['runs'])) return []
  return record['runs'].filter((each) => typeof each === 'string')
}
