import { openAuditLog } from '../../../src/core/audit/audit-log.ts'
import { openAuditSource } from '../../../src/core/audit/read-audit.ts'
import { createMemoryAudit } from '../../helpers/memory/audit.ts'
import { createFolder } from '../../helpers/skills.ts'
import { describeAuditLog } from './audit-contract.ts'

describeAuditLog('files', () => {
  const dir = createFolder()
  return { log: openAuditLog(dir, { maxFileBytes: 2500 }), source: openAuditSource(dir) }
})

describeAuditLog('memory', createMemoryAudit)
