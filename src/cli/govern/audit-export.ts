import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { AuditRecord } from '../../core/audit/audit-record.ts'
import type { AuditSource } from '../../core/audit/audit-source.ts'
import { decodeLine } from '../../core/audit/chain.ts'
import { isWanted, type AuditFilter } from '../../core/audit/select-records.ts'
import type { Call } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { readFilter } from './audit-filter.ts'

/** `skills audit export`: lines as they were written, so that their hashes can be checked elsewhere. */
export async function exportRecords(context: Context, call: Call): Promise<number> {
  const filter = readFilter(call)
  const lines = wantedLines(await (await openRuntime(context)).auditSource(), filter)
  if (context.global.json) {
    const records: AuditRecord[] = []
    for await (const { record } of lines) records.push(record)
    context.document('skills.audit/v1', { records })
    return 0
  }
  const source = Readable.from(texts(lines))
  await pipeline(source, context.stdout as Writable, { end: false, signal: context.signal })
  return 0
}

async function* texts(lines: AsyncIterable<{ text: string }>): AsyncGenerator<string> {
  for await (const { text } of lines) yield `${text}\n`
}

async function* wantedLines(
  source: AuditSource,
  filter: AuditFilter,
): AsyncGenerator<{ text: string; record: AuditRecord }> {
  for (const segment of await source.segments()) {
    for await (const batch of segment.lines()) {
      for (const { text, isWhole } of batch) {
        const decoded = isWhole ? decodeLine(text) : undefined
        if (decoded && isWanted(decoded.record, filter)) yield { text, record: decoded.record }
      }
    }
  }
}
