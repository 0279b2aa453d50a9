// Appends so many records to the log of a folder.
import { openAuditLog } from '../../../src/core/audit/audit-log.ts'
import { entry } from './entries.ts'

const [dir = '', count = '0'] = process.argv.slice(2)
const log = openAuditLog(dir, { maxFileBytes: 5000 })
for (let at = 0; at < Number(count); at++) {
  await log.append(entry(), { durable: at % 2 === 0 })
}
