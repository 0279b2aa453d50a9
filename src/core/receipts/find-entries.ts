import type { AuditSource } from '../audit/audit-source.ts'
import type { ChainLink } from '../audit/chain.ts'
import { isCallRecord } from '../audit/filter-records.ts'
import { readNewestFirst } from '../audit/read-audit.ts'
import type { AuditedCall } from './receipt.ts'

/** Entries of one run in the audit log. */
export interface RunEntries {
  begun: AuditedCall | undefined
  /** The entry that has the digest of the run record. */
  ended: AuditedCall | undefined
}

/** Finds the entries of a run, from the end of the log to the position where it began. */
export async function findRunEntries(
  source: AuditSource,
  run: string,
  { seq: begunSeq }: ChainLink,
): Promise<RunEntries> {
  let ended: AuditedCall | undefined
  for await (const record of readNewestFirst(source)) {
    if (record.seq < begunSeq) break
    if (!isCallRecord(record)) continue
    if (record.event === 'ended' && Object.hasOwn(record.records ?? {}, run)) ended = record
    if (record.event === 'begun' && record.seq === begunSeq) return { begun: record, ended }
  }
  return { begun: undefined, ended }
}
