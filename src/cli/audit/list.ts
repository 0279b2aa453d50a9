import type { AuditRecord } from '../../core/audit/audit-record.ts'
import { isCallRecord } from '../../core/audit/filter-records.ts'
import { toPrintable } from '../../util/printable.ts'
import { openHandle } from '../access/open-handle.ts'
import type { CommandLine } from '../command.ts'
import { getTextOption } from '../command.ts'
import type { Context } from '../context.ts'
import { readCountOption } from '../store/count-option.ts'
import { formatToSeconds } from '../store/format-to-seconds.ts'
import { formatTable } from '../ui/table.ts'
import { readAuditFilter } from './filter.ts'
import { readAuditPages } from './read-pages.ts'

/** `skills audit ls`. */
export async function listAuditRecords(context: Context, call: CommandLine): Promise<number> {
  const filter = readAuditFilter(call)
  const limit = readCountOption(call, 'limit', 50)
  const hasBefore = getTextOption(call, 'before') !== undefined
  const cursor = hasBefore ? readCountOption(call, 'before', 1) : undefined
  const handle = await openHandle(context, call)
  const records: AuditRecord[] = []
  let next: number | null = null
  for await (const page of readAuditPages(handle, { ...filter, cursor }, limit)) {
    records.push(...(page.records as unknown as AuditRecord[]))
    next = page.next_cursor
  }
  if (context.global.json) {
    context.document('skills.audit/v1', { records, next_before: next })
    return 0
  }
  showAuditRecords(context, records)
  if (next !== null) context.note(`For older records add --before ${next}`)
  return 0
}

function showAuditRecords(context: Context, records: readonly AuditRecord[]): void {
  if (records.length === 0) {
    context.note('No matching decisions in the audit log')
    return
  }
  const { style } = context
  const rows = records.map((record) => [
    String(record.seq),
    formatToSeconds(record.time),
    toPrintable(describeOutcome(record)),
    toPrintable(isCallRecord(record) ? `${record.who.caller} (${record.who.door})` : '-'),
    toPrintable(isCallRecord(record) ? describeAuditTarget(record) : record.problem),
  ])
  const paint = (text: string) => {
    if (/^(?:completed|begun|started)/.test(text)) return style.green(text)
    return /^(?:cancelled|repaired|pruned|left)/.test(text) ? style.yellow(text) : style.red(text)
  }
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(formatTable(rows, { columns, paint: [style.cyan, style.dim, paint] }))
}

/** The code of a denial, the status of a finished call, or the event. */
function describeOutcome(record: AuditRecord): string {
  if (!isCallRecord(record)) return record.event
  if (record.event === 'denied') return record.decision.code ?? 'denied'
  return record.result?.status ?? record.event
}

function describeAuditTarget({ kind, request }: Extract<AuditRecord, { run_id: string }>): string {
  const { skills, language, repository, cwd } = request
  const target = skills.length > 0 ? skills.join(', ') : (language ?? 'a program')
  const location =
    repository === undefined ? '' : ` in ${repository}${cwd && cwd !== '.' ? `/${cwd}` : ''}`
  return `${kind} ${target}${location}`
}
