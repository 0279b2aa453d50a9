import type {
  ListAuditRecordsParams,
  ListAuditRecordsResult,
} from '../../core/methods/list-audit-records/definition.ts'
import type { RuntimeHandle } from '../../runtime-handle/handle.ts'

/** Records of one call. */
const PAGE_SIZE = 5000

/** Reads pages until `limit` records or the end of the log. A page can be short. */
export async function* readAuditPages(
  handle: RuntimeHandle,
  query: ListAuditRecordsParams,
  limit = Infinity,
): AsyncGenerator<ListAuditRecordsResult> {
  let { cursor } = query
  for (let left = limit; left > 0;) {
    const page = await handle.call('list_audit_records', {
      ...query,
      limit: Math.min(left, PAGE_SIZE),
      ...(cursor !== undefined && { cursor }),
    })
    yield page
    if (page.next_cursor === null) return
    cursor = page.next_cursor
    left -= page.lines?.length ?? page.records.length
  }
}
