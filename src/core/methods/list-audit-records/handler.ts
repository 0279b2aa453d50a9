import type { Services } from '../../services.ts'
import { parseTimeParam } from '../parse-time.ts'
import type { ListAuditRecordsParams, ListAuditRecordsResult } from './definition.ts'

const DEFAULT_LIMIT = 50
/** Records that one page reads: a filter that matches nothing must not occupy the server. */
const MAX_READ = 20_000

/** `list_audit_records`: reads a page of the audit log. */
export async function listAuditRecords(
  { readAuditPage }: Pick<Services, 'readAuditPage'>,
  params: ListAuditRecordsParams,
): Promise<ListAuditRecordsResult> {
  const { order, lines: withLines, limit = DEFAULT_LIMIT, cursor, since, until, ...rest } = params
  const filter = {
    ...rest,
    since: parseTimeParam('since', since),
    until: parseTimeParam('until', until),
  }
  const page = await readAuditPage(order ?? 'newest', { filter, limit, cursor, maxRead: MAX_READ })
  const { records, lines, positions, next, readUntil } = page
  return {
    records: (withLines === true ? [] : records) as unknown as ListAuditRecordsResult['records'],
    ...(withLines === true && { lines }),
    ...(positions && { positions }),
    next_cursor: next,
    ...(readUntil !== undefined && { read_until: readUntil }),
  }
}
