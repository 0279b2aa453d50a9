import type { AuditRecord } from '../../core/audit/audit-record.ts'

/** A record of the audit log, as `list_audit_records` returns it. */
export type AuditRow = AuditRecord

/** A record in a list, which is ordered by the position. */
export interface ListedRow {
  row: AuditRow
  /** Its number; in a fleet, its position among the records of all nodes. */
  position: number
}

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

const CHAIN_TONES: Readonly<Record<string, string>> = {
  damaged: 'failed',
  started: 'info',
  left: 'info',
}

/** Name of the mark of an outcome, see `Status`. */
export function describeTone(row: AuditRow): string {
  if (!isCallRow(row)) return CHAIN_TONES[row.event] ?? 'warning'
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

/** Lists the records of a page with their positions, which only fleets add: else they are numbers. */
export function listRows(page: {
  records: readonly object[]
  positions?: readonly number[]
}): ListedRow[] {
  const rows = page.records as readonly AuditRow[]
  return rows.map((row, at) => ({ row, position: page.positions?.[at] ?? row.seq }))
}

/** Adds an older page after the rows. */
export function appendOlder(rows: readonly ListedRow[], page: readonly ListedRow[]): ListedRow[] {
  const last = rows.at(-1)?.position ?? Infinity
  return [...rows, ...page.filter(({ position }) => position < last)]
}

/**
 * Puts newer rows before the others. An end replaces the beginning of its run. Undefined if there may be
 * rows between them, so that the list has to be read again.
 */
export function prependNewer(
  rows: readonly ListedRow[],
  newest: readonly ListedRow[],
): readonly ListedRow[] | undefined {
  const first = rows[0]?.position ?? 0
  const added = newest.filter(({ position }) => position > first)
  if (added.length === 0) return rows
  if (rows.length > 0 && added.length === newest.length) return undefined
  const ended = new Set(added.flatMap(({ row }) => (isEnd(row) ? [row.run_id] : [])))
  const kept = rows.filter(
    ({ row }) => !(isCallRow(row) && row.event === 'begun' && ended.has(row.run_id)),
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
