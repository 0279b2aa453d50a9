import type { AuditEntry, AuditEvent, AuditRecord } from './audit-record.ts'

/** Filter for records; all its conditions must hold. */
export interface AuditFilter {
  event?: AuditEvent | undefined
  kind?: string | undefined
  /** Code of the denial. */
  code?: string | undefined
  layer?: string | undefined
  caller?: string | undefined
  repository?: string | undefined
  /** `name` or `name@version`. */
  skill?: string | undefined
  language?: string | undefined
  rule?: string | undefined
  /** Run id or a prefix of it, with or without `run_`. */
  run?: string | undefined
  /** Prefix of the audit hash in a response. */
  hash?: string | undefined
  /** Milliseconds since the epoch: `since` is inclusive, `until` exclusive. */
  since?: number | undefined
  until?: number | undefined
}

/** True for records of calls, false for records about the log itself. */
export function isCallRecord(record: AuditRecord): record is Extract<AuditRecord, AuditEntry> {
  return 'run_id' in record
}

/** True if a record matches a filter. */
export function matchesFilter(record: AuditRecord, filter: AuditFilter): boolean {
  const time = Date.parse(record.time)
  if (filter.since !== undefined && !(time >= filter.since)) return false
  if (filter.until !== undefined && !(time < filter.until)) return false
  if (filter.event !== undefined && record.event !== filter.event) return false
  const { since: _since, until: _until, event: _event, ...ofCalls } = filter
  if (Object.values(ofCalls).every((each) => each === undefined)) return true
  return isCallRecord(record) && matchesCallFilter(record, ofCalls)
}

function matchesCallFilter(record: AuditEntry, filter: AuditFilter): boolean {
  const { decision, request, who } = record
  const equals = (wanted: string | undefined, found: string | undefined) =>
    wanted === undefined || wanted === found
  return (
    equals(filter.kind, record.kind) &&
    equals(filter.code, decision.code) &&
    equals(filter.layer, decision.layer) &&
    equals(filter.caller, who.caller) &&
    equals(filter.repository, request.repository) &&
    equals(filter.language, request.language) &&
    decision.audit_hash.startsWith(filter.hash ?? '') &&
    (filter.rule === undefined || decision.rules.includes(filter.rule)) &&
    includesSkill(request.skills, filter.skill) &&
    matchesRunId(record.run_id, filter.run)
  )
}

function includesSkill(found: readonly string[], wanted: string | undefined): boolean {
  if (wanted === undefined) return true
  return found.some((each) => each === wanted || each.startsWith(`${wanted}@`))
}

function matchesRunId(id: string, wanted = ''): boolean {
  return id.startsWith(wanted.startsWith('run_') ? wanted : `run_${wanted}`)
}
