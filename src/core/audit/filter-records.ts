import type { AuditEntry, AuditEvent, AuditRecord } from './audit-record.ts'

/** Which records are wanted; everything that is given has to be true of one. */
export interface AuditFilter {
  event?: AuditEvent | undefined
  kind?: string | undefined
  /** Of the denial. */
  code?: string | undefined
  layer?: string | undefined
  caller?: string | undefined
  repository?: string | undefined
  /** `name` or `name@version`. */
  skill?: string | undefined
  language?: string | undefined
  rule?: string | undefined
  /** Id of a run, or its beginning, with or without `run_`. */
  run?: string | undefined
  /** Beginning of the hash that an answer gave. */
  hash?: string | undefined
  /** Milliseconds since the epoch: not before, and before. */
  since?: number | undefined
  until?: number | undefined
}

/** Whether a record is one of a call, and not of the log itself. */
export function isCallRecord(record: AuditRecord): record is Extract<AuditRecord, AuditEntry> {
  return 'run_id' in record
}

/** Whether a record is wanted. */
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
  const same = (wanted: string | undefined, found: string | undefined) =>
    wanted === undefined || wanted === found
  return (
    same(filter.kind, record.kind) &&
    same(filter.code, decision.code) &&
    same(filter.layer, decision.layer) &&
    same(filter.caller, who.caller) &&
    same(filter.repository, request.repository) &&
    same(filter.language, request.language) &&
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
