// Appends a number of records to the log of a folder, optionally with a size quota.
import { openAuditLog } from '../../../src/core/audit/audit-log.ts'
import { createEntry } from './entries.ts'

const [dir = '', count = '0', quota] = process.argv.slice(2)
const quotaBytes = quota === undefined ? undefined : Number(quota)
const log = openAuditLog(dir, { maxFileBytes: 5000, quotaBytes })
for (let at = 0; at < Number(count); at++) {
  await log.append(createEntry(), { durable: at % 2 === 0 })
}
