import { join } from 'node:path'
import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AuditRecord } from '../../core/audit/audit-record.ts'
import { decodeLine } from '../../core/audit/chain.ts'
import { auditFiles, linesOf } from '../../core/audit/read-audit.ts'
import { isWanted, type AuditFilter } from '../../core/audit/select-records.ts'
import type { Call } from '../command.ts'
import type { Context } from '../context.ts'
import { openConfig } from '../runtime.ts'
import { readFilter } from './audit-filter.ts'

/** `skills audit export`: lines as they were written, so that their hashes can be checked elsewhere. */
export async function exportRecords(context: Context, call: Call): Promise<number> {
  const filter = readFilter(call)
  const { config } = await openConfig(context)
  const lines = wantedLines(join(config.directories.data, 'audit'), filter)
  if (context.global.json) {
    context.document('skills.audit/v1', { records: Array.from(lines, ({ record }) => record) })
    return 0
  }
  const source = Readable.from(texts(lines))
  await pipeline(source, context.stdout as Writable, { end: false, signal: context.signal })
  return 0
}

function* texts(lines: Iterable<{ text: string }>): Generator<string> {
  for (const { text } of lines) yield `${text}\n`
}

function* wantedLines(
  dir: string,
  filter: AuditFilter,
): Generator<{ text: string; record: AuditRecord }> {
  for (const file of auditFiles(dir)) {
    for (const { text, isWhole } of linesOf(file)) {
      const decoded = isWhole ? decodeLine(text) : undefined
      if (decoded && isWanted(decoded.record, filter)) yield { text, record: decoded.record }
    }
  }
}
