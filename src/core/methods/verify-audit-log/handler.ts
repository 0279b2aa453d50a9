import { listRunRecords } from '../../runs/history/list-run-links.ts'
import type { Services } from '../../services.ts'
import type { VerifyAuditLogParams, VerifyAuditLogResult } from './definition.ts'

/** `verify_audit_log`: follows the chain of the log, and compares the run records with it. */
export async function verifyAuditLog(
  { verifyAudit, runs, config }: Pick<Services, 'verifyAudit' | 'runs' | 'config'>,
  { anchors = [] }: VerifyAuditLogParams,
): Promise<VerifyAuditLogResult> {
  const records = await listRunRecords(await runs(), config.store.runs.ttlMs)
  const { endsTorn: ends_torn, ...report } = await verifyAudit(anchors, records)
  return { ok: report.problems.length === 0, ...report, ends_torn }
}
