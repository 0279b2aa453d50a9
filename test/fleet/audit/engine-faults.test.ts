// @module-tag slow
// @module-tag nightly
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { isCallRecord } from '../../../src/core/audit/filter-records.ts'
import { openFleetAuditLog, type FleetAuditLog } from '../../../src/fleet/audit/fleet-audit-log.ts'
import { verifyFleetAudit } from '../../../src/fleet/audit/verify-fleet-audit.ts'
import type { NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { createEntry } from '../../core/audit/entries.ts'
import { readRecords, useAuditServer } from './audit-server.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

const audit = useAuditServer()
const durable = { durable: true }

/** Appends until it is aborted; returns the ids of the records that were acknowledged, and of the others. */
async function appendUntil(log: FleetAuditLog, signal: AbortSignal) {
  const acknowledged: string[] = []
  const refused: string[] = []
  const lanes = Array.from({ length: 8 }, async (_, lane) => {
    for (let at = 0; !signal.aborted; at++) {
      const id = `run_${lane}_${at}`
      await log.append(createEntry({ run_id: id }), { durable: at % 2 === 0 }).then(
        () => acknowledged.push(id),
        () => refused.push(id),
      )
      if (at % 7 === 0) await sleep(Math.random() * 4)
    }
  })
  await Promise.all(lanes)
  return { acknowledged, refused }
}

async function readIds(engine: NatsEngine, chain: string): Promise<string[]> {
  const records = await readRecords(engine, chain)
  return records.filter(isCallRecord).map(({ run_id: id }) => id)
}

describe('an engine that fails during appends', () => {
  const faults: [string, () => Promise<void>][] = [
    [
      'killed and started again',
      async () => {
        await audit.server.end('SIGKILL')
        await sleep(300)
        await audit.server.start()
      },
    ],
    [
      'restarted',
      async () => {
        await audit.server.end('SIGTERM')
        await audit.server.start()
      },
    ],
    [
      'paused',
      async () => {
        audit.server.process.kill('SIGSTOP')
        await sleep(2500)
        audit.server.process.kill('SIGCONT')
      },
    ],
  ]

  it.each(faults)('has each record once, in one chain, after it was %s', async (_, fail) => {
    const engine = await audit.connect()
    const log = openFleetAuditLog(engine, { node: 'w1', start: 's1' })
    const over = new AbortController()
    const appends = appendUntil(log, over.signal)
    for (let round = 0; round < 3; round++) {
      await sleep(200 + Math.random() * 200)
      await fail()
    }
    await sleep(200)
    over.abort()
    const { acknowledged, refused } = await appends
    const ids = await readIds(engine, 'w1.s1')
    expect(refused).toEqual([])
    expect(ids.length).toBeGreaterThan(50)
    expect(ids.toSorted()).toEqual(acknowledged.toSorted())
    const report = await verifyFleetAudit(engine)
    expect(report).toMatchObject({ records: ids.length + 1, problems: [] })
  })

  it('refuses records when it is away for longer than the patience, and has no acknowledged one twice', async () => {
    const engine = await audit.connect({ patienceMs: 500 })
    const log = openFleetAuditLog(engine, { node: 'w1', start: 's1' })
    const over = new AbortController()
    const appends = appendUntil(log, over.signal)
    for (const isStopped of [true, false, true]) {
      await sleep(300)
      if (isStopped) {
        audit.server.process.kill('SIGSTOP')
        await sleep(3000)
        audit.server.process.kill('SIGCONT')
      } else {
        await audit.server.end('SIGKILL')
        await sleep(2000)
        await audit.server.start()
      }
    }
    await sleep(1000)
    over.abort()
    const { acknowledged, refused } = await appends
    expect(refused.length).toBeGreaterThan(0)
    await log.append(createEntry({ run_id: 'run_last' }), durable)
    const ids = await readIds(engine, 'w1.s1')
    expect(new Set(ids).size).toBe(ids.length)
    expect(ids).toEqual(expect.arrayContaining([...acknowledged, 'run_last']))
    expect((await verifyFleetAudit(engine)).problems).toEqual([])
  })

  it('refuses the first record as well, and takes it when it is back', async () => {
    const engine = await audit.connect({ patienceMs: 500 })
    const log = openFleetAuditLog(engine, { node: 'w1', start: 's1' })
    await audit.server.end('SIGKILL')
    await expect(log.append(createEntry(), durable)).rejects.toMatchObject({
      code: 'audit/unavailable',
      data: { code: 'audit-unavailable', layer: 'audit' },
    })
    await audit.server.start()
    await expect
      .poll(async () => await log.append(createEntry(), durable).catch(() => undefined))
      .toBeDefined()
    expect((await verifyFleetAudit(engine)).problems).toEqual([])
  })
})

describe('an engine whose disk lost acknowledged records', () => {
  it('has a gap in the numbers, which the chain records and verification reports', async () => {
    const engine = await audit.connect()
    const log = openFleetAuditLog(engine, { node: 'w1', start: 's1' })
    await log.append(createEntry(), durable)
    const { server } = audit
    const [stored, copy] = ['js', 'js-copy'].map((name) => join(server.dir, name)) as [
      string,
      string,
    ]

    await server.end('SIGTERM')
    cpSync(stored, copy, { recursive: true })
    await server.start()
    await log.append(createEntry(), durable)
    const last = await log.append(createEntry(), durable)
    await server.end('SIGKILL')
    rmSync(stored, { recursive: true })
    cpSync(copy, stored, { recursive: true })
    await server.start()
    const next = await log.append(createEntry(), durable)
    expect(next.seq).toBe(last.seq + 2)
    const events = (await readRecords(engine, 'w1.s1')).map(({ seq, event }) => [seq, event])
    expect(events).toEqual([
      [1, 'started'],
      [2, 'ended'],
      [5, 'damaged'],
      [6, 'ended'],
    ])
    const { problems } = await verifyFleetAudit(engine)
    expect(problems.map(({ code, sentence }) => [code, sentence])).toEqual([
      ['missing', 'Records 3 to 4 are missing'],
      ['damaged', expect.stringContaining('The engine lost records')],
    ])
  })
})

describe('a node that is killed', () => {
  it('leaves chains that have every acknowledged record and continue each other', async () => {
    const engine = await audit.connect()
    const script = fileURLToPath(new URL('append-until-killed.ts', import.meta.url))
    for (const start of ['s1', 's2', 's3', 's4']) {
      const args = ['--import', BUILT_MODULES, script, audit.server.url, engine.tenant, start]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] })
      let output = ''
      child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()))
      await once(child.stdout, 'data')
      await sleep(Math.random() * 300)
      child.kill('SIGKILL')
      await once(child, 'close')
      const acknowledged = output.split('\n').slice(0, -1)
      const hashes = (await readRecords(engine, `w1.${start}`)).map(({ hash }) => hash)
      expect(acknowledged.length).toBeGreaterThan(0)
      expect(hashes).toEqual(expect.arrayContaining(acknowledged))
    }
    const { problems, chains, notes } = await verifyFleetAudit(engine)
    expect(problems).toEqual([])
    expect(chains.map(({ start, hasLeft }) => [start, hasLeft])).toEqual(
      ['s1', 's2', 's3', 's4'].map((start) => [start, false]),
    )
    expect(notes.map(({ code, chain }) => `${code} ${chain}`)).toEqual(
      ['s1', 's2', 's3', 's4'].map((start) => `no-left w1.${start}`),
    )
    expect(notes.at(0)?.sentence).toContain('the node was killed')
  })
})
