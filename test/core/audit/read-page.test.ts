import { describe, expect, it } from 'vitest'
import { openAuditLog } from '../../../src/core/audit/audit-log.ts'
import type { AuditEntry } from '../../../src/core/audit/audit-record.ts'
import { openAuditSource } from '../../../src/core/audit/read-audit.ts'
import {
  readNewestPage,
  readOldestPage,
  type AuditPage,
  type AuditQuery,
} from '../../../src/core/audit/read-page.ts'
import { yieldBetweenBatches } from '../../../src/core/audit/yield-batches.ts'
import type { AuditSource } from '../../../src/core/audit/audit-source.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createEntry } from './entries.ts'

/** Writes a log of several segments with these entries. */
async function writeLog(entries: readonly Partial<AuditEntry>[]): Promise<string> {
  const dir = createFolder()
  const log = openAuditLog(dir, { maxFileBytes: 3000 })
  for (const each of entries) await log.append(createEntry(each), { durable: true })
  return dir
}

async function openSource(entries: readonly Partial<AuditEntry>[]): Promise<AuditSource> {
  return yieldBetweenBatches(openAuditSource(await writeLog(entries)))
}

const RUNS = Array.from({ length: 12 }, (_, at): Partial<AuditEntry> => {
  const run_id = `run_${String(at >> 1).padStart(24, '0')}`
  return at % 2 === 0 ? { event: 'begun', run_id } : { event: 'ended', run_id }
})

type ReadPage = (source: AuditSource, query: AuditQuery) => Promise<AuditPage>

/** Numbers of the records of all pages. */
async function readAll(read: ReadPage, source: AuditSource, query: AuditQuery) {
  const pages: number[][] = []
  let cursor: number | undefined
  do {
    const page = await read(source, { ...query, ...(cursor !== undefined && { cursor }) })
    pages.push(page.records.map(({ seq }) => seq))
    cursor = page.next ?? undefined
  } while (cursor !== undefined)
  return pages
}

describe('a page of the audit log', () => {
  it('begins with the newest records and leaves out the beginnings of ended runs', async () => {
    const source = await openSource(RUNS)
    const pages = await readAll(readNewestPage, source, { filter: {}, limit: 4 })
    expect(pages).toEqual([
      [12, 10, 8, 6],
      [4, 2],
    ])
    const begun = { filter: { event: 'begun' as const }, limit: 9 }
    expect(await readAll(readNewestPage, source, begun)).toEqual([[11, 9, 7, 5, 3, 1]])
  })

  it('has all records if it begins with the oldest, with their lines', async () => {
    const source = await openSource(RUNS)
    expect((await source.segments()).length).toBeGreaterThan(2)
    const pages = await readAll(readOldestPage, source, { filter: {}, limit: 5 })
    expect(pages).toEqual([
      [1, 2, 3, 4, 5],
      [6, 7, 8, 9, 10],
      [11, 12],
    ])
    const { lines, records } = await readOldestPage(source, { filter: {}, limit: 1 })
    expect(JSON.parse(lines[0] ?? '')).toEqual(records[0])
  })

  it('has no further page after the last matching record', async () => {
    const source = await openSource(RUNS)
    const last = { filter: { run: `${'0'.repeat(23)}3` }, limit: 1 }
    expect(await readNewestPage(source, last)).toMatchObject({ records: [{ seq: 8 }], next: null })
  })

  it('ends after many records that do not match, and says how far it read', async () => {
    const source = await openSource(RUNS)
    const query = { filter: { caller: 'nobody' }, limit: 1, maxRead: 5 }
    for (const read of [readNewestPage, readOldestPage]) {
      const page = await read(source, query)
      expect(page).toMatchObject({ records: [], readUntil: expect.stringMatching(/^20/) as string })
      expect(page.next).toBe(read === readNewestPage ? 8 : 5)
    }
    const found = { filter: { run: `${'0'.repeat(23)}0` }, limit: 1, maxRead: 5 }
    const pages = await readAll(readNewestPage, source, found)
    expect(pages.flat()).toEqual([2])
  })

  it('lets other work of the process run between lines', async () => {
    const countTurns = async (source: AuditSource) => {
      let turns = 0
      const count = () => {
        turns += 1
        handle = setImmediate(count)
      }
      let handle = setImmediate(count)
      const { records } = await readOldestPage(source, { filter: {}, limit: 100 })
      clearImmediate(handle)
      expect(records).toHaveLength(60)
      return turns
    }
    const dir = await writeLog(Array.from({ length: 60 }, () => ({})))
    expect(await countTurns(yieldBetweenBatches(openAuditSource(dir)))).toBeGreaterThanOrEqual(3)
    expect(await countTurns(openAuditSource(dir))).toBe(0)
  })
})
