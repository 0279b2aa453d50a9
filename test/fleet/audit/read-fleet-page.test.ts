// @module-tag nats-server
import { describe, expect, it } from 'vitest'
import { isCallRecord } from '../../../src/core/audit/filter-records.ts'
import type { AuditPage, AuditQuery } from '../../../src/core/audit/read-page.ts'
import { openFleetAuditLog } from '../../../src/fleet/audit/fleet-audit-log.ts'
import { readFleetPage } from '../../../src/fleet/audit/read-fleet-page.ts'
import type { NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { createEntry } from '../../core/audit/entries.ts'
import { useAuditServer } from './audit-server.ts'

const audit = useAuditServer()
const durable = { durable: true }

function openLogs(engine: NatsEngine) {
  return ['w1', 'w2', 'w3'].map((node) => openFleetAuditLog(engine, { node, start: 's1' }))
}

type Logs = ReturnType<typeof openLogs>

const runId = (n: number) => `run_${n.toString(16).padStart(24, '0')}`

/** Appends ended runs, to one chain after the other. */
async function appendEnds(logs: Logs, from: number, count: number): Promise<void> {
  for (let n = from; n < from + count; n++) {
    await logs[n % logs.length]?.append(createEntry({ run_id: runId(n) }), durable)
  }
}

function listRuns({ records }: AuditPage): string[] {
  return records.flatMap((record) => (isCallRecord(record) ? [record.run_id] : []))
}

const range = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => runId(from + at))

/** Reads all pages, and calls `between` after each. */
async function readAll(
  engine: NatsEngine,
  { order, limit }: { order: 'newest' | 'oldest'; limit: number },
  between: () => Promise<void> = async () => {},
): Promise<string[]> {
  const runs: string[] = []
  let cursor: number | undefined
  for (;;) {
    const query: AuditQuery = { filter: { event: 'ended' }, limit, cursor }
    const page = await readFleetPage(engine, order, query)
    runs.push(...listRuns(page))
    if (page.next === null) return runs
    cursor = page.next
    await between()
  }
}

describe('pages of the audit of a fleet', () => {
  it('have the records of all chains in the order of time', async () => {
    const engine = await audit.connect()
    await appendEnds(openLogs(engine), 0, 20)
    expect(await readAll(engine, { order: 'oldest', limit: 3 })).toEqual(range(0, 20))
    expect(await readAll(engine, { order: 'newest', limit: 3 })).toEqual(range(0, 20).toReversed())
  })

  it('lose and repeat no record while new ones arrive', async () => {
    const engine = await audit.connect()
    const logs = openLogs(engine)
    await appendEnds(logs, 0, 12)
    let next = 12
    const append = async () => {
      await appendEnds(logs, next, 2)
      next += 2
    }
    const newest = await readAll(engine, { order: 'newest', limit: 5 }, append)
    expect(newest).toEqual(range(0, 12).toReversed())
    const before = next
    const oldest = await readAll(engine, { order: 'oldest', limit: 4 }, async () => {
      if (next < before + 6) await append()
    })
    expect(oldest).toEqual(range(0, next))
  })

  it('continue within the records of one message', async () => {
    const engine = await audit.connect()
    const [log] = openLogs(engine)
    const entries = range(0, 50).map((run_id) => createEntry({ run_id }))
    await Promise.all(entries.map(async (entry) => await log?.append(entry, durable)))
    expect((await engine.measure('audit')).messages).toBeLessThan(10)
    expect(await readAll(engine, { order: 'newest', limit: 7 })).toEqual(range(0, 50).toReversed())
    expect(await readAll(engine, { order: 'oldest', limit: 7 })).toEqual(range(0, 50))
  })

  it('have a record that two messages hold, once', async () => {
    const engine = await audit.connect()
    const logs = openLogs(engine)
    await appendEnds(logs, 0, 1)
    const contents = { text: 'x'.repeat(600_000) }
    const large = createEntry({ run_id: runId(1), contents })
    await Promise.all([logs[1]?.append(large, durable), appendEnds(logs, 3, 1)])
    await appendEnds(logs, 4, 2)
    const oldest = await readAll(engine, { order: 'oldest', limit: 1 })
    const newest = await readAll(engine, { order: 'newest', limit: 1 })
    expect(oldest.toSorted()).toEqual([runId(0), runId(1), ...range(3, 6)])
    expect(newest).toEqual(oldest.toReversed())
  })

  it('leave out the beginning of a run whose end is on an earlier page', async () => {
    const engine = await audit.connect()
    const [log] = openLogs(engine)
    await log?.append(createEntry({ event: 'begun', run_id: runId(1) }), durable)
    await log?.append(createEntry({ event: 'begun', run_id: runId(2) }), durable)
    await log?.append(createEntry({ run_id: runId(1) }), durable)
    const first = await readFleetPage(engine, 'newest', { filter: {}, limit: 1 })
    expect(first.records).toMatchObject([{ event: 'ended', run_id: runId(1) }])
    const query = { filter: {}, limit: 10, cursor: first.next ?? 0 }
    const second = await readFleetPage(engine, 'newest', query)
    expect(second.records).toMatchObject([
      { event: 'begun', run_id: runId(2) },
      { event: 'started', node: 'w1' },
    ])
    expect(second.next).toBeNull()
  })

  it('have the starts and leaves of nodes', async () => {
    const engine = await audit.connect()
    const [first, second] = openLogs(engine)
    await first?.append(createEntry(), durable)
    await second?.append(createEntry(), durable)
    await first?.leave()
    const started = await readFleetPage(engine, 'oldest', {
      filter: { event: 'started' },
      limit: 9,
    })
    expect(started.records).toMatchObject([{ node: 'w1' }, { node: 'w2' }])
    const left = await readFleetPage(engine, 'newest', { filter: { event: 'left' }, limit: 9 })
    expect(left.records).toMatchObject([{ node: 'w1' }])
  })

  it('name the record at a position', async () => {
    const engine = await audit.connect()
    await appendEnds(openLogs(engine), 0, 5)
    const filter = { event: 'ended' } as const
    const page = await readFleetPage(engine, 'newest', { filter, limit: 9 })
    expect(page.positions).toHaveLength(5)
    for (const [at, position] of (page.positions ?? []).entries()) {
      const query = { filter, limit: 1, cursor: position - 1 }
      const found = await readFleetPage(engine, 'oldest', query)
      expect(found.records).toEqual([page.records[at]])
      expect(found.positions).toEqual([position])
    }
  })
})
