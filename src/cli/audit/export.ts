import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AuditRecord } from '../../core/audit/audit-record.ts'
import type { AuditSource } from '../../core/audit/audit-source.ts'
import { decodeLine } from '../../core/audit/chain.ts'
import { matchesFilter, type AuditFilter } from '../../core/audit/filter-records.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { readAuditFilter } from './filter.ts'

/** `skills audit export`: lines unchanged, so that their hashes can be verified elsewhere. */
export async function exportAuditRecords(context: Context, call: CommandLine): Promise<number> {
  const filter = readAuditFilter(call)
  const lines = filterAuditLines(await (await openRuntime(context)).auditSource(), filter)
  if (context.global.json) {
    const records: AuditRecord[] = []
    for await (const { record } of lines) records.push(record)
    context.document('skills.audit/v1', { records })
    return 0
  }
  const source = Readable.from(extractTexts(lines))
  await pipeline(source, context.stdout as Writable, { end: false, signal: context.signal })
  return 0
}

async function* extractTexts(lines: AsyncIterable<{ text: string }>): AsyncGenerator<string> {
  for await (const { text } of lines) yield `${text}\n`
}

async function* filterAuditLines(
  source: AuditSource,
  filter: AuditFilter,
): AsyncGenerator<{ text: string; record: AuditRecord }> {
  for (const segment of await source.segments()) {
    for await (const batch of segment.lines()) {
      for (const { text, isWhole } of batch) {
        const decoded = isWhole ? decodeLine(text) : undefined
        if (decoded && matchesFilter(decoded.record, filter)) yield { text, record: decoded.record }
      }
    }
  }
}
