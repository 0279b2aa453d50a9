import { Readable, type Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { PlainObject } from '../../core/skills/manifest/manifest.ts'
import { openHandle } from '../access/open-handle.ts'
import type { CommandLine } from '../command.ts'
import type { Context } from '../context.ts'
import { readAuditFilter } from './filter.ts'
import { readAuditPages } from './read-pages.ts'

/** `skills audit export`: lines unchanged, so that their hashes can be verified elsewhere. */
export async function exportAuditRecords(context: Context, call: CommandLine): Promise<number> {
  const query = { ...readAuditFilter(call), order: 'oldest' as const }
  const handle = await openHandle(context, call)
  if (context.global.json) {
    const records: PlainObject[] = []
    for await (const page of readAuditPages(handle, query)) records.push(...page.records)
    context.document('skills.audit/v1', { records })
    return 0
  }
  const pages = readAuditPages(handle, { ...query, lines: true })
  const source = Readable.from(joinLines(pages))
  await pipeline(source, context.stdout as Writable, { end: false, signal: context.signal })
  return 0
}

async function* joinLines(
  pages: AsyncIterable<{ lines?: readonly string[] }>,
): AsyncGenerator<string> {
  for await (const { lines = [] } of pages) for (const line of lines) yield `${line}\n`
}
