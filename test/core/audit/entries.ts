import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { openAuditSource } from '../../../src/core/audit/read-audit.ts'
import { verifyAudit, type AuditReport } from '../../../src/core/audit/verify-audit.ts'
import type { AuditEntry, AuditRecord } from '../../../src/core/audit/audit-record.ts'

/** Creates the record of a call, with changes. */
export function createEntry(more: Partial<AuditEntry> = {}): AuditEntry {
  return {
    event: 'ended',
    run_id: 'run_0123456789abcdef01234567',
    kind: 'execute',
    who: { door: 'http', caller: 'alice' },
    request: { skills: [], language: 'python', timeout_ms: null, network: [], environment: [] },
    decision: {
      allowed: true,
      reasons: [],
      rules: [],
      limits: { timeout_ms: 1000, output_bytes: 1000 },
      policies: [],
      audit_hash: 'a'.repeat(64),
    },
    digests: { code: `sha256:${'b'.repeat(64)}` },
    ...more,
  }
}

/** Lists the segments of a log, oldest first. */
export function listSegments(dir: string): string[] {
  return readdirSync(dir)
    .filter((name) => name.endsWith('.jsonl'))
    .toSorted()
    .map((name) => join(dir, name))
}

/** Reads all lines of a log. */
export function readLines(dir: string): string[] {
  return listSegments(dir).flatMap((file) => readFileSync(file, 'utf8').split('\n').slice(0, -1))
}

/** Parses all records of a log. */
export function readRecords(dir: string): AuditRecord[] {
  return readLines(dir).map((line) => JSON.parse(line) as AuditRecord)
}

/** Verifies the log of a folder. */
export async function verifyFolder(
  dir: string,
  ...rest: Parameters<typeof verifyAudit> extends [unknown, ...infer Rest] ? Rest : never
): Promise<AuditReport> {
  return await verifyAudit(openAuditSource(dir), ...rest)
}
