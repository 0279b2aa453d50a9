import type { AuditRecord } from '../../core/audit/audit-record.ts'
import type { AuditSource } from '../../core/audit/audit-source.ts'
import { readNewestFirst } from '../../core/audit/read-audit.ts'
import { isCallRecord, matchesFilter, type AuditFilter } from '../../core/audit/filter-records.ts'
import { toPrintable } from '../../util/printable.ts'
import type { CommandLine } from '../command.ts'
import { getTextOption } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { readCountOption } from '../store/count-option.ts'
import { formatToSeconds } from '../store/format-to-seconds.ts'
import { formatTable } from '../ui/table.ts'
import { readAuditFilter } from './filter.ts'

/** `skills audit ls`. */
export async function listAuditRecords(context: Context, call: CommandLine): Promise<number> {
  const filter = readAuditFilter(call)
  const limit = readCountOption(call, 'limit', 50)
  const hasBefore = getTextOption(call, 'before') !== undefined
  const before = hasBefore ? readCountOption(call, 'before', 1) : Infinity
  const source = await (await openRuntime(context)).auditSource()
  const { records, next } = await readAuditPage(source, { filter, limit, before })
  if (context.global.json) {
    context.document('skills.audit/v1', { records, next_before: next })
    return 0
  }
  showAuditRecords(context, records)
  if (next !== null) context.note(`For older records add --before ${next}`)
  return 0
}

/** Reads a page of matching records; `next` is the value of --before for the next page. */
async function readAuditPage(
  source: AuditSource,
  { filter, limit, before }: { filter: AuditFilter; limit: number; before: number },
): Promise<{ records: AuditRecord[]; next: number | null }> {
  const records: AuditRecord[] = []
  const ended = new Set<string>()
  for await (const record of readNewestFirst(source)) {
    // A `begun` record is skipped, because the `ended` record of its run contains the same fields.
    if (isCallRecord(record) && record.event === 'ended') ended.add(record.run_id)
    const isSuperseded =
      record.event === 'begun' && ended.has(record.run_id) && filter.event !== 'begun'
    if (record.seq >= before || isSuperseded || !matchesFilter(record, filter)) continue
    if (records.length === limit) return { records, next: records.at(-1)?.seq ?? null }
    records.push(record)
  }
  return { records, next: null }
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
    if (/^(?:completed|begun)/.test(text)) return style.green(text)
    return /^(?:cancelled|repaired|pruned)/.test(text) ? style.yellow(text) : style.red(text)
  }
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(formatTable(rows, { columns, paint: [style.cyan, style.dim, paint] }))
}

/** The code of a denial, the status of a finished call, or the event. */
function describeOutcome(record: AuditRecord): string {
  if (!isCallRecord(record)) return record.event
  if (record.event === 'denied') return record.decision.code ?? 'denied'
  const status = record.result?.status ?? record.event
  return FORMER_STATUSES[status] ?? status
}

/** Statuses of programs in records of former versions. */
const FORMER_STATUSES: Readonly<Record<string, string>> = {
  success: 'completed',
  failure: 'failed',
  timeout: 'failed',
}

function describeAuditTarget({ kind, request }: Extract<AuditRecord, { run_id: string }>): string {
  const { skills, language, repository, cwd } = request
  const target = skills.length > 0 ? skills.join(', ') : (language ?? 'a program')
  const location =
    repository === undefined ? '' : ` in ${repository}${cwd && cwd !== '.' ? `/${cwd}` : ''}`
  return `${kind} ${target}${location}`
}
