import { hash } from 'node:crypto'
import type { RunRecord } from './run-record.ts'

/** Returns the digest of a complete run record; a stored record has the same. */
export function digestRecord(record: RunRecord): string {
  return `sha256:${hash('sha256', JSON.stringify(record))}`
}
