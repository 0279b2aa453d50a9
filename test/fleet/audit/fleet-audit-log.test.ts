// @module-tag nats-server
import { describe, expect, it } from 'vitest'
import type { ChainLink } from '../../../src/core/audit/chain.ts'
import { openFleetAuditLog } from '../../../src/fleet/audit/fleet-audit-log.ts'
import { openFleetAuditSource } from '../../../src/fleet/audit/fleet-audit-source.ts'
import { verifyFleetAudit } from '../../../src/fleet/audit/verify-fleet-audit.ts'
import { nameStream } from '../../../src/fleet/engine/assets.ts'
import { describeAuditLog } from '../../core/audit/audit-contract.ts'
import { createEntry } from '../../core/audit/entries.ts'
import { readMessages, readRecords, useAuditServer } from './audit-server.ts'

const audit = useAuditServer()
const durable = { durable: true }

describeAuditLog('the engine of a fleet', async () => {
  const engine = await audit.connect()
  return {
    log: openFleetAuditLog(engine, { node: 'w1', start: 's1' }),
    source: openFleetAuditSource(engine),
  }
})

describe('the chain of a start of a node', () => {
  it('begins with a record of the start', async () => {
    const engine = await audit.connect()
    const log = openFleetAuditLog(engine, { node: 'w1', start: 's1' })
    expect((await log.append(createEntry(), durable)).seq).toBe(2)
    const [first] = await readRecords(engine, 'w1.s1')
    expect(first).toMatchObject({ seq: 1, event: 'started', node: 'w1', start: 's1', before: null })
  })

  it('names the last record of the chain before', async () => {
    const engine = await audit.connect()
    const ends: ChainLink[] = []
    for (const start of ['s1', 's2', 's3']) {
      const log = openFleetAuditLog(engine, { node: 'w1', start })
      await log.append(createEntry(), durable)
      ends.push(await log.append(createEntry(), durable))
      await openFleetAuditLog(engine, { node: 'w2', start }).append(createEntry(), durable)
    }
    const [second, third] = await Promise.all(
      ['w1.s2', 'w1.s3'].map(async (chain) => (await readRecords(engine, chain))[0]),
    )
    expect(second).toMatchObject({ before: { start: 's1', ...ends[0] } })
    expect(third).toMatchObject({ before: { start: 's2', ...ends[1] } })
    expect((await verifyFleetAudit(engine)).problems).toEqual([])
  })

  it('ends with a record of the leave, after which records are refused', async () => {
    const engine = await audit.connect()
    const log = openFleetAuditLog(engine, { node: 'w1', start: 's1' })
    const last = log.append(createEntry(), durable)
    await log.leave()
    expect((await last).seq).toBe(2)
    await expect(log.append(createEntry(), durable)).rejects.toMatchObject({
      code: 'audit/unavailable',
      data: { code: 'audit-unavailable' },
    })
    const events = (await readRecords(engine, 'w1.s1')).map(({ event }) => event)
    expect(events).toEqual(['started', 'ended', 'left'])
    expect((await verifyFleetAudit(engine)).notes).toEqual([])
  })

  it('stores concurrent records in few messages', async () => {
    const engine = await audit.connect()
    const log = openFleetAuditLog(engine, { node: 'w1', start: 's1' })
    const appends = Array.from(
      { length: 200 },
      async () => await log.append(createEntry(), durable),
    )
    await Promise.all(appends)
    expect((await readMessages(engine)).length).toBeLessThan(10)
    expect(await verifyFleetAudit(engine)).toMatchObject({ records: 201, problems: [] })
  })

  it('keeps the order of records of any size that arrive at any time', async () => {
    const engine = await audit.connect()
    const log = openFleetAuditLog(engine, { node: 'w1', start: 's1' })
    const appends: Promise<ChainLink>[] = []
    for (let at = 0; at < 150; at++) {
      const contents = { code: 'x'.repeat(at % 10 === 0 ? 90_000 : Math.random() * 500) }
      const entry = createEntry({ run_id: `run_${at}`, contents })
      appends.push(log.append(entry, { durable: at % 2 === 0 }))
      if (Math.random() < 0.3) await new Promise((done) => setTimeout(done, Math.random() * 5))
    }
    const links = await Promise.all(appends)
    const calls = (await readRecords(engine, 'w1.s1')).slice(1)
    expect(calls.map((each) => 'run_id' in each && each.run_id)).toEqual(
      links.map((_, at) => `run_${at}`),
    )
    expect(calls.map(({ seq, hash }) => ({ seq, hash }))).toEqual(links)
    expect((await verifyFleetAudit(engine)).problems).toEqual([])
  })

  it('divides a record that is larger than a message', async () => {
    const engine = await audit.connect()
    const log = openFleetAuditLog(engine, { node: 'w1', start: 's1' })
    const code = 'ä'.repeat(1_200_000)
    const sent = [{}, { contents: { code } }, {}].map(
      async (more) => await log.append(createEntry(more), durable),
    )
    const links = await Promise.all(sent)
    const records = await readRecords(engine, 'w1.s1')
    expect(records.slice(1).map(({ hash }) => hash)).toEqual(links.map(({ hash }) => hash))
    const [, , large] = records
    const { contents } = large as { contents?: { code: string } }
    expect(contents?.code === code).toBe(true)
    const next = openFleetAuditLog(engine, { node: 'w1', start: 's2' })
    await next.append(createEntry(), durable)
    expect(await verifyFleetAudit(engine)).toMatchObject({ records: 6, problems: [] })
  })

  it.each([
    { node: 'epochs', start: 's1' },
    { node: 'w.1', start: 's1' },
    { node: 'w*', start: 's1' },
    { node: '', start: 's1' },
    { node: 'w1', start: '>' },
  ])('cannot have a name of other characters: %j', async (name) => {
    const engine = await audit.connect()
    expect(() => openFleetAuditLog(engine, name)).toThrow(
      expect.objectContaining({ code: 'config/invalid' }) as Error,
    )
  })
})

describe('a second writer of a chain', () => {
  it('is refused when it starts, and the first one continues', async () => {
    const engine = await audit.connect()
    const name = { node: 'w1', start: 's1' }
    const [first, second] = [openFleetAuditLog(engine, name), openFleetAuditLog(engine, name)]
    await first.append(createEntry(), durable)
    await expect(second.append(createEntry(), durable)).rejects.toMatchObject({
      code: 'audit/unavailable',
      message: 'Another process writes to the audit chain w1.s1',
    })
    await first.append(createEntry(), durable)
    expect(await verifyFleetAudit(engine)).toMatchObject({ records: 3, problems: [] })
  })

  it('is one of two that start at once, of which one is refused', async () => {
    const engine = await audit.connect()
    const name = { node: 'w1', start: 's1' }
    const other = await audit.connect({ tenant: engine.tenant })
    const results = await Promise.allSettled(
      [engine, other].map(
        async (each) => await openFleetAuditLog(each, name).append(createEntry(), durable),
      ),
    )
    expect(results.map(({ status }) => status).toSorted()).toEqual(['fulfilled', 'rejected'])
    expect(await verifyFleetAudit(engine)).toMatchObject({ records: 2, problems: [] })
  })

  it('is detected by the first one, which stops, and by verification', async () => {
    const engine = await audit.connect()
    const log = openFleetAuditLog(engine, { node: 'w1', start: 's1' })
    await log.append(createEntry(), durable)
    const messages = await readMessages(engine)
    const lastLine = messages.at(-1)?.text.split('\n').at(-2) ?? ''
    const intruder = engine.client.jetstream(engine.connection)
    await intruder.publish(`sk.${engine.tenant}.au.w1.s1`, `${lastLine}\n`)
    for (const _ of [1, 2]) {
      await expect(log.append(createEntry(), durable)).rejects.toMatchObject({
        code: 'audit/unavailable',
        hint: expect.stringContaining('one node only') as string,
      })
    }
    const { problems } = await verifyFleetAudit(engine)
    expect(problems).toMatchObject([
      { code: 'out-of-order', chain: 'w1.s1', seq: 2, sentence: 'There are two records 2' },
    ])
  })
})

describe('an engine that cannot store a record', () => {
  it('refuses the record if it is full', async () => {
    const engine = await audit.connect()
    const log = openFleetAuditLog(engine, { node: 'w1', start: 's1' })
    const acknowledged = await log.append(createEntry(), durable)
    const { streams } = await engine.client.jetstreamManager(engine.connection)
    const stream = nameStream(engine.tenant, 'audit')
    await streams.update(stream, { max_bytes: 2000 })
    await expect(log.append(createEntry(), durable)).rejects.toMatchObject({
      code: 'store/full',
      data: { code: 'audit-unavailable', layer: 'audit' },
    })
    await streams.update(stream, { max_bytes: -1 })
    const later = await log.append(createEntry(), durable)
    expect(later.seq).toBeGreaterThan(acknowledged.seq)
    expect((await verifyFleetAudit(engine)).problems).toEqual([])
  })

  it('refuses the record if it has no streams', async () => {
    const engine = await audit.connect()
    const { streams } = await engine.client.jetstreamManager(engine.connection)
    await streams.delete(nameStream(engine.tenant, 'audit'))
    const log = openFleetAuditLog(engine, { node: 'w1', start: 's1' })
    await expect(log.append(createEntry(), durable)).rejects.toMatchObject({
      code: 'audit/unavailable',
      data: { code: 'audit-unavailable' },
    })
  })
})
