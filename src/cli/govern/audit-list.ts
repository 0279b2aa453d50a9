import type { AuditRecord } from '../../core/audit/audit-record.ts'
import type { AuditSource } from '../../core/audit/audit-source.ts'
import { newestFirst } from '../../core/audit/read-audit.ts'
import { isCall, isWanted, type AuditFilter } from '../../core/audit/select-records.ts'
import { printable } from '../../util/printable.ts'
import type { Call } from '../command.ts'
import { textOption } from '../command.ts'
import type { Context } from '../context.ts'
import { openRuntime } from '../runtime.ts'
import { countOption } from '../store/count-option.ts'
import { seconds } from '../store/seconds.ts'
import { table } from '../ui/table.ts'
import { readFilter } from './audit-filter.ts'

/** `skills audit ls`. */
export async function list(context: Context, call: Call): Promise<number> {
  const filter = readFilter(call)
  const limit = countOption(call, 'limit', 50)
  const isPage = textOption(call, 'before') !== undefined
  const before = isPage ? countOption(call, 'before', 1) : Infinity
  const source = await (await openRuntime(context)).auditSource()
  const { records, next } = await takePage(source, { filter, limit, before })
  if (context.global.json) {
    context.document('skills.audit/v1', { records, next_before: next })
    return 0
  }
  show(context, records)
  if (next !== null) context.note(`There are older ones: add --before ${next}`)
  return 0
}

/** So many wanted records before one, and the number to go on with. */
async function takePage(
  source: AuditSource,
  { filter, limit, before }: { filter: AuditFilter; limit: number; before: number },
): Promise<{ records: AuditRecord[]; next: number | null }> {
  const records: AuditRecord[] = []
  const ended = new Set<string>()
  for await (const record of newestFirst(source)) {
    // How it ended says all that its beginning says.
    if (isCall(record) && record.event === 'ended') ended.add(record.run_id)
    const isOld = record.event === 'begun' && ended.has(record.run_id) && filter.event !== 'begun'
    if (record.seq >= before || isOld || !isWanted(record, filter)) continue
    if (records.length === limit) return { records, next: records.at(-1)?.seq ?? null }
    records.push(record)
  }
  return { records, next: null }
}

function show(context: Context, records: readonly AuditRecord[]): void {
  if (records.length === 0) {
    context.note('No such decisions are in the audit log')
    return
  }
  const { style } = context
  const rows = records.map((record) => [
    String(record.seq),
    seconds(record.time),
    printable(outcomeOf(record)),
    printable(isCall(record) ? `${record.who.caller} (${record.who.door})` : '-'),
    printable(isCall(record) ? targetOf(record) : record.problem),
  ])
  const paint = (text: string) => {
    if (/^(?:success|completed|begun)/.test(text)) return style.green(text)
    return /^(?:cancelled|repaired|pruned)/.test(text) ? style.yellow(text) : style.red(text)
  }
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(table(rows, { columns, paint: [style.cyan, style.dim, paint] }))
}

/** What was decided, and what came of it. */
function outcomeOf(record: AuditRecord): string {
  if (!isCall(record)) return record.event
  if (record.event === 'denied') return record.decision.code ?? 'denied'
  return record.result?.status ?? record.event
}

function targetOf({ kind, request }: Extract<AuditRecord, { run_id: string }>): string {
  const { skills, language, repository, cwd } = request
  const what = skills.length > 0 ? skills.join(', ') : (language ?? 'a program')
  const where =
    repository === undefined ? '' : ` in ${repository}${cwd && cwd !== '.' ? `/${cwd}` : ''}`
  return `${kind} ${what}${where}`
}
