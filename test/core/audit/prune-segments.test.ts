// @module-tag slow
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { openAuditLog } from '../../../src/core/audit/audit-log.ts'
import { readNewestFirst, openAuditSource } from '../../../src/core/audit/read-audit.ts'
import type { Retention } from '../../../src/core/audit/prune-segments.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createEntry, readRecords, listSegments, verifyFolder } from './entries.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

const HOUR = 3_600_000

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() })
})

afterEach(() => {
  vi.useRealTimers()
})

/** Appends to a log with segments of three records. */
async function appendRecords(dir: string, count: number, retention: Retention = {}): Promise<void> {
  const log = openAuditLog(dir, { maxFileBytes: 2500, ...retention })
  for (let at = 0; at < count; at++) await log.append(createEntry(), { durable: true })
}

/** Simulates time: sets the modification time of files to that of their last record. */
function advanceTime(dir: string, ms: number): void {
  for (const file of listSegments(dir)) {
    const last = readFileSync(file, 'utf8').trim().split('\n').at(-1) ?? ''
    const { time } = JSON.parse(last) as { time: string }
    utimesSync(file, new Date(time), new Date(time))
  }
  vi.setSystemTime(Date.now() + ms)
}

const codes = async (dir: string) => (await verifyFolder(dir)).problems.map(({ code }) => code)
const numbers = (dir: string) => readRecords(dir).map(({ seq }) => seq)

describe('an audit log with retention', () => {
  it('keeps all records by default', async () => {
    const dir = createFolder()
    await appendRecords(dir, 10)
    advanceTime(dir, 1000 * 24 * HOUR)
    await appendRecords(dir, 1)
    expect(numbers(dir)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11])
  })

  it('prunes expired records and still verifies', async () => {
    const dir = createFolder()
    await appendRecords(dir, 10)
    const before = readRecords(dir)
    advanceTime(dir, 25 * HOUR)
    await appendRecords(dir, 4, { ttlMs: 24 * HOUR })
    const [first, ...rest] = readRecords(dir)
    expect(first?.prev).toBe(before[(first?.seq ?? 0) - 2]?.hash)
    expect(first?.seq).toBeGreaterThan(6)
    expect(rest.some(({ event }) => event === 'pruned')).toBe(true)
    const removed = (first?.seq ?? 1) - 1
    expect(await verifyFolder(dir)).toMatchObject({ problems: [], removed })
    expect(await Readable.from(readNewestFirst(openAuditSource(dir))).toArray()).toHaveLength(
      rest.length + 1,
    )
  })

  it('prunes the oldest segments above its quota', async () => {
    const dir = createFolder()
    const retention = { quotaBytes: 6000 }
    await appendRecords(dir, 40, retention)
    const bytes = listSegments(dir).reduce((sum, file) => sum + statSync(file).size, 0)
    expect(bytes).toBeLessThan(6000 + 2500)
    expect(numbers(dir)[0]).toBeGreaterThan(10)
    expect(await verifyFolder(dir)).toMatchObject({ problems: [] })
    await appendRecords(dir, 10)
    expect(await codes(dir)).toEqual([])
  })

  it('stays one chain when several processes write and prune', async () => {
    const dir = createFolder()
    const worker = fileURLToPath(new URL('write-entries.ts', import.meta.url))
    const words = ['--import', BUILT_MODULES, worker, dir, '40', '15000']
    const ends = Array.from({ length: 3 }, async () => {
      const child = spawn(process.execPath, words, { stdio: 'inherit' })
      return (await once(child, 'close')) as unknown[]
    })
    while (listSegments(dir).length === 0) await new Promise((resolve) => setTimeout(resolve, 5))
    const writers = { areOver: false }
    const all = Promise.all(ends).finally(() => (writers.areOver = true))
    // Readers see an intact chain during the writes, too.
    while (!writers.areOver) {
      expect(await codes(dir)).toEqual([])
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    for (const [code] of await all) expect(code).toBe(0)
    const bytes = listSegments(dir).reduce((sum, file) => sum + statSync(file).size, 0)
    expect(bytes).toBeLessThan(15_000 + 3 * 5000)
    expect(await verifyFolder(dir)).toMatchObject({ problems: [] })
    expect(numbers(dir)[0]).toBeGreaterThan(1)
  }, 60_000)

  it('starts a new segment when one covers too much time, so that it can expire', async () => {
    const dir = createFolder()
    await appendRecords(dir, 1, { ttlMs: 24 * HOUR })
    advanceTime(dir, 4 * HOUR)
    await appendRecords(dir, 1, { ttlMs: 24 * HOUR })
    expect(listSegments(dir)).toHaveLength(2)
    advanceTime(dir, 24 * HOUR)
    await appendRecords(dir, 1, { ttlMs: 24 * HOUR })
    expect(numbers(dir)[0]).toBe(2)
    expect(await codes(dir)).toEqual([])
  })

  it('is intact after an interruption before, between or after removing segments', async () => {
    const dir = createFolder()
    await appendRecords(dir, 10)
    const files = listSegments(dir).map((file) => [file, readFileSync(file)] as const)
    advanceTime(dir, 25 * HOUR)
    await appendRecords(dir, 1, { ttlMs: 24 * HOUR })
    const gone = files.filter(([file]) => !listSegments(dir).includes(file))
    expect(gone.length).toBeGreaterThan(1)
    for (const [file, bytes] of gone.toReversed()) {
      writeFileSync(file, bytes)
      expect(await codes(dir)).toEqual([])
    }
    expect(numbers(dir)[0]).toBe(1)
    const then = new Date(Date.now() - 25 * HOUR)
    for (const [file] of gone) utimesSync(file, then, then)
    await appendRecords(dir, 1, { ttlMs: 24 * HOUR })
    expect(numbers(dir)[0]).toBeGreaterThan(1)
    expect(await codes(dir)).toEqual([])
  })

  it('never prunes a segment whose last line is not a record', async () => {
    const dir = createFolder()
    await appendRecords(dir, 10)
    const [first = ''] = listSegments(dir)
    writeFileSync(first, `${readFileSync(first, 'utf8')}nothing\n`)
    vi.setSystemTime(Date.now() + 25 * HOUR)
    const then = new Date(Date.now() - 25 * HOUR)
    for (const file of listSegments(dir)) utimesSync(file, then, then)
    await appendRecords(dir, 1, { ttlMs: 24 * HOUR })
    expect(listSegments(dir)[0]).toBe(first)
    expect(await codes(dir)).toEqual(['broken'])
  })
})

describe('verifyAudit() of a pruned log', () => {
  it('reports one more segment that was deleted', async () => {
    const dir = createFolder()
    await appendRecords(dir, 12)
    advanceTime(dir, 25 * HOUR)
    await appendRecords(dir, 7, { ttlMs: 24 * HOUR })
    rmSync(listSegments(dir)[0] as string)
    expect(await codes(dir)).toEqual(['missing'])
  })

  it('reports a segment that was deleted from a log without pruning', async () => {
    const dir = createFolder()
    await appendRecords(dir, 12)
    rmSync(listSegments(dir)[0] as string)
    await appendRecords(dir, 1)
    expect(await codes(dir)).toEqual(['missing'])
  })

  it('ignores a prune record that was changed', async () => {
    const dir = createFolder()
    await appendRecords(dir, 12)
    advanceTime(dir, 25 * HOUR)
    await appendRecords(dir, 7, { ttlMs: 24 * HOUR })
    for (const file of listSegments(dir)) {
      writeFileSync(
        file,
        readFileSync(file, 'utf8').replaceAll('as configured by audit.ttl', 'as I say'),
      )
    }
    expect(await codes(dir)).toEqual(expect.arrayContaining(['missing', 'changed']))
  })

  it('reports an anchor before its beginning as undecidable', async () => {
    const dir = createFolder()
    await appendRecords(dir, 12)
    const [first] = readRecords(dir)
    advanceTime(dir, 25 * HOUR)
    await appendRecords(dir, 1, { ttlMs: 24 * HOUR })
    const { problems } = await verifyFolder(dir, [{ seq: 1, hash: first?.hash ?? '' }])
    expect(problems.map(({ sentence }) => sentence)).toEqual([
      'Record 1 was removed by retention and cannot be compared: use a later anchor',
    ])
    const kept = readRecords(dir)[0]
    expect(
      (await verifyFolder(dir, [{ seq: (kept?.seq ?? 1) - 1, hash: kept?.prev ?? '' }])).problems,
    ).toEqual([])
    const other = { seq: (kept?.seq ?? 1) - 1, hash: 'f'.repeat(64) }
    expect((await verifyFolder(dir, [other])).problems.map(({ code }) => code)).toEqual(['anchor'])
    const runs = { links: [{ run: 'run_0', seq: 1, hash: first?.hash ?? '' }] }
    expect((await verifyFolder(dir, [], runs)).problems).toEqual([])
  })
})
