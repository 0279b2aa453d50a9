import type { AuditRecord } from '../../core/audit/audit-record.ts'

/** A record of the audit log, as `list_audit_records` returns it. */
export type AuditRow = AuditRecord
type CallRow = Extract<AuditRow, { run_id: string }>

/** True for records of calls, false for records about the log itself. */
export function isCallRow(row: AuditRow): row is CallRow {
  return 'run_id' in row
}

/** Code of a denial, status of a finished call, or the event. */
export function describeOutcome(row: AuditRow): string {
  if (!isCallRow(row)) return row.event
  if (row.event === 'denied') return row.decision.code ?? 'denied'
  return row.result?.status ?? row.event
}

/** Name of the mark of an outcome, see `Status`. */
export function describeTone(row: AuditRow): string {
  if (!isCallRow(row)) return row.event === 'damaged' ? 'failed' : 'warning'
  if (row.event === 'denied') return 'failed'
  if (row.event === 'begun') return 'running'
  return /^(?:completed|success)$/.test(row.result?.status ?? '') ? 'completed' : 'warning'
}

/** The skills, or the language and the folder of a program. */
export function describeTarget(row: AuditRow): string {
  if (!isCallRow(row)) return row.problem
  const { skills, language, repository, cwd } = row.request
  const target = skills.length > 0 ? skills.join(', ') : (language ?? 'a program')
  const folder = cwd !== undefined && cwd !== '.' ? `/${cwd}` : ''
  return `${row.kind} ${target}${repository === undefined ? '' : ` in ${repository}${folder}`}`
}

/** Adds an older page after the rows. */
export function appendOlder(rows: readonly AuditRow[], page: readonly AuditRow[]): AuditRow[] {
  const last = rows.at(-1)?.seq ?? Infinity
  return [...rows, ...page.filter(({ seq }) => seq < last)]
}

/**
 * Puts newer rows before the others. An end replaces the beginning of its run. Undefined if there may be
 * rows between them, so that the list has to be read again.
 */
export function prependNewer(
  rows: readonly AuditRow[],
  newest: readonly AuditRow[],
): readonly AuditRow[] | undefined {
  const first = rows[0]?.seq ?? 0
  const added = newest.filter(({ seq }) => seq > first)
  if (added.length === 0) return rows
  if (rows.length > 0 && added.length === newest.length) return undefined
  const ended = new Set(added.flatMap((row) => (isEnd(row) ? [row.run_id] : [])))
  const kept = rows.filter(
    (row) => !(isCallRow(row) && row.event === 'begun' && ended.has(row.run_id)),
  )
  return [...added, ...kept]
}

function isEnd(row: AuditRow): row is CallRow {
  return isCallRow(row) && row.event === 'ended'
}

type Cell = string | number | false | null | undefined

const COLUMNS: readonly (readonly [name: string, read: (row: AuditRow) => Cell])[] = [
  ['seq', ({ seq }) => seq],
  ['time', ({ time }) => time],
  ['event', ({ event }) => event],
  ['outcome', describeOutcome],
  ['run_id', (row) => isCallRow(row) && row.run_id],
  ['kind', (row) => isCallRow(row) && row.kind],
  ['caller', (row) => isCallRow(row) && row.who.caller],
  ['entry_point', (row) => isCallRow(row) && row.who.door],
  ['skills', (row) => isCallRow(row) && row.request.skills.join(' ')],
  ['language', (row) => isCallRow(row) && row.request.language],
  ['repository', (row) => isCallRow(row) && row.request.repository],
  ['layer', (row) => isCallRow(row) && row.decision.layer],
  ['rules', (row) => isCallRow(row) && row.decision.rules.join(' ')],
  ['reasons', (row) => isCallRow(row) && row.decision.reasons.join('; ')],
  ['duration_ms', (row) => isCallRow(row) && row.result?.duration_ms],
  ['isolation', (row) => isCallRow(row) && row.result?.isolation],
  ['hash', ({ hash }) => hash],
]

export const CSV_HEADER = COLUMNS.map(([name]) => name).join(',')

/** One line of a table for spreadsheets, without the line break. */
export function formatCsvLine(row: AuditRow): string {
  return COLUMNS.map(([, read]) => formatCell(read(row))).join(',')
}

function formatCell(value: Cell): string {
  if (value === undefined || value === null || value === false) return ''
  const text = String(value)
  // A spreadsheet would execute a text that begins like a formula, and names come from callers.
  const safe = typeof value === 'string' && /^[=+\-@\t\r]/.test(text) ? `'${text}` : text
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}
