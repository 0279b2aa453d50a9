import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import type { AuditLog } from '../../../src/core/audit/audit-log.ts'
import type { AuditRecord } from '../../../src/core/audit/audit-record.ts'
import type { AuditSource } from '../../../src/core/audit/audit-source.ts'
import { isCallRecord } from '../../../src/core/audit/filter-records.ts'
import { readNewestFirst } from '../../../src/core/audit/read-audit.ts'
import { readNewestPage, readOldestPage } from '../../../src/core/audit/read-page.ts'
import { verifyAudit } from '../../../src/core/audit/verify-audit.ts'
import { createEntry } from './entries.ts'

export interface OpenedAudit {
  log: AuditLog
  source: AuditSource
}

/** Contract of an audit log of one chain, whatever stores it. It may add records about itself. */
export function describeAuditLog(
  store: string,
  open: () => OpenedAudit | Promise<OpenedAudit>,
): void {
  describe(`an audit log in ${store}`, () => {
    it('is empty before the first record', async () => {
      const { source } = await open()
      expect(await source.segments()).toEqual([])
      expect(await verifyAudit(source)).toMatchObject({ records: 0, last: null, problems: [] })
    })

    it('returns every appended record and verifies them', async () => {
      const { log, source } = await open()
      const links = []
      for (let at = 0; at < 10; at++) {
        const entry = createEntry({ run_id: `run_${at}` })
        links.push(await log.append(entry, { durable: at % 2 === 0 }))
      }
      await log.flush()
      const first = links[0]?.seq ?? 0
      expect(links.map(({ seq }) => seq - first)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
      const newest = await readCalls(source)
      expect(newest.map(({ hash }) => hash)).toEqual(links.map(({ hash }) => hash).toReversed())
      const report = await verifyAudit(source, links)
      expect(report).toMatchObject({ records: first + 9, last: links[9], problems: [] })
    })

    it('writes concurrent records in the order of the calls', async () => {
      const { log, source } = await open()
      const ids = Array.from({ length: 50 }, (_, at) => `run_${at}`)
      const links = await Promise.all(
        ids.map(
          async (run_id, at) =>
            await log.append(createEntry({ run_id }), { durable: at % 3 === 0 }),
        ),
      )
      const records = (await readCalls(source)).toReversed()
      expect(records.map(({ run_id: id }) => id)).toEqual(ids)
      expect(records.map(({ seq, hash }) => ({ seq, hash }))).toEqual(links)
      expect((await verifyAudit(source)).problems).toEqual([])
    })

    it('reports an anchor that is not in the log', async () => {
      const { log, source } = await open()
      const { seq } = await log.append(createEntry(), { durable: true })
      const { problems } = await verifyAudit(source, [{ seq, hash: 'f'.repeat(64) }])
      expect(problems).toMatchObject([{ code: 'anchor', seq }])
    })

    it.each([
      ['newest', readNewestPage],
      ['oldest', readOldestPage],
    ])('has pages of its records, %s first, without gaps', async (order, readPage) => {
      const { log, source } = await open()
      const ids = Array.from({ length: 10 }, (_, at) => `run_${at}`)
      for (const run_id of ids) await log.append(createEntry({ run_id }), { durable: true })
      const found: string[] = []
      let cursor: number | undefined
      do {
        const page = await readPage(source, { filter: { event: 'ended' }, limit: 3, cursor })
        found.push(...page.records.flatMap((each) => (isCallRecord(each) ? each.run_id : [])))
        cursor = page.next ?? undefined
      } while (cursor !== undefined)
      expect(order === 'newest' ? found.toReversed() : found).toEqual(ids)
    })
  })
}

/** Reads the records of calls, newest first. */
async function readCalls(source: AuditSource) {
  const records = (await Readable.from(readNewestFirst(source)).toArray()) as AuditRecord[]
  return records.filter(isCallRecord)
}
