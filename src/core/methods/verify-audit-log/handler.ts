import { verifyAudit } from '../../audit/verify-audit.ts'
import { yieldBetweenBatches } from '../../audit/yield-batches.ts'
import { listRunLinks } from '../../runs/history/list-run-links.ts'
import type { Services } from '../../services.ts'
import type { VerifyAuditLogParams, VerifyAuditLogResult } from './definition.ts'

/** `verify_audit_log`: follows the chain of the log, and compares the run records with it. */
export async function verifyAuditLog(
  { auditSource, runs }: Pick<Services, 'auditSource' | 'runs'>,
  { anchors = [] }: VerifyAuditLogParams,
): Promise<VerifyAuditLogResult> {
  const links = await listRunLinks(await runs())
  const source = yieldBetweenBatches(await auditSource())
  const { endsTorn: ends_torn, ...report } = await verifyAudit(source, anchors, links)
  return { ok: report.problems.length === 0, ...report, ends_torn }
}
