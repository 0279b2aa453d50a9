import { Readable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { openAuditLog } from '../../../src/core/audit/audit-log.ts'
import { readNewestFirst, openAuditSource } from '../../../src/core/audit/read-audit.ts'
import { verifyAudit } from '../../../src/core/audit/verify-audit.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createEntry } from './entries.ts'
import { createMemoryAudit } from '../../helpers/memory/audit.ts'

const AUDITS: [string, typeof createMemoryAudit][] = [
  [
    'files',
    () => {
      const dir = createFolder()
      return { log: openAuditLog(dir, { maxFileBytes: 2500 }), source: openAuditSource(dir) }
    },
  ],
  ['memory', createMemoryAudit],
]

/** Contract of an audit log for its readers, whatever stores it. */
describe.each(AUDITS)('an audit log in %s', (_, open) => {
  it('is empty before the first record', async () => {
    const { source } = open()
    expect(await source.segments()).toEqual([])
    expect(await verifyAudit(source)).toMatchObject({ records: 0, last: null, problems: [] })
  })

  it('returns every appended record and verifies them', async () => {
    const { log, source } = open()
    const links = []
    for (let at = 0; at < 10; at++) {
      links.push(await log.append(createEntry({ run_id: `run_${at}` }), { durable: at % 2 === 0 }))
    }
    await log.flush()
    expect(links.map(({ seq }) => seq)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10])
    const newest = (await Readable.from(readNewestFirst(source)).toArray()) as { hash: string }[]
    expect(newest.map(({ hash }) => hash)).toEqual(links.map(({ hash }) => hash).toReversed())
    const report = await verifyAudit(source, links)
    expect(report).toMatchObject({ records: 10, first: links[0], last: links[9], problems: [] })
  })

  it('reports an anchor that is not in the log', async () => {
    const { log, source } = open()
    const { seq } = await log.append(createEntry(), { durable: true })
    const { problems } = await verifyAudit(source, [{ seq, hash: 'f'.repeat(64) }])
    expect(problems).toMatchObject([{ code: 'anchor', seq }])
  })
})
