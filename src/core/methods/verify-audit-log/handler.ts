import { listRunLinks } from '../../runs/history/list-run-links.ts'
import type { Services } from '../../services.ts'
import type { VerifyAuditLogParams, VerifyAuditLogResult } from './definition.ts'

/** `verify_audit_log`: follows the chain of the log, and compares the run records with it. */
export async function verifyAuditLog(
  { verifyAudit, runs }: Pick<Services, 'verifyAudit' | 'runs'>,
  { anchors = [] }: VerifyAuditLogParams,
): Promise<VerifyAuditLogResult> {
  const links = await listRunLinks(await runs())
  const { endsTorn: ends_torn, ...report } = await verifyAudit(anchors, links)
  return { ok: report.problems.length === 0, ...report, ends_torn }
}
