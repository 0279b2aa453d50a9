import type { AuditProblem, AuditReport } from '../../core/audit/verify-audit.ts'
import type { FleetAuditProblem, FleetAuditReport } from './fleet-audit-report.ts'

/** Describes all chains as one log, for readers of reports without chains. */
export function toAuditReport({ records, chains, problems }: FleetAuditReport): AuditReport {
  return {
    records,
    files: chains.length,
    first: null,
    last: null,
    removed: 0,
    repaired: 0,
    endsTorn: chains.some(({ endsTorn }) => endsTorn),
    problems: problems.map(toAuditProblem),
  }
}

function toAuditProblem({ code, seq, place, sentence }: FleetAuditProblem): AuditProblem {
  const known = code === 'link' ? 'missing' : code === 'epoch' ? 'anchor' : code
  return { code: known, seq, ...(place !== undefined && { place }), sentence }
}
