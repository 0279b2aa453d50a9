import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  appendFileSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { openAuditLog, type AuditLog } from '../../../src/core/audit/audit-log.ts'
import { createFolder } from '../../helpers/skills.ts'
import { killWriters } from '../storage/kill-writers.ts'
import { fillDisk, NO_SMALL_DISK, createSmallDisk } from '../storage/small-disk.ts'
import { createEntry, readLines, readRecords, listSegments, verifyFolder } from './entries.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

const openLog = (dir: string, maxFileBytes = 1024 ** 2) => openAuditLog(dir, { maxFileBytes })
const durable = { durable: true }

async function writeRecords(log: AuditLog, count: number): Promise<void> {
  for (let at = 0; at < count; at++) await log.append(createEntry(), durable)
}

describe('an audit log', () => {
  it('chains each record to the previous one and returns its link', async () => {
    const dir = join(createFolder(), 'audit')
    const log = openLog(dir)
    const first = await log.append(createEntry(), durable)
    const second = await log.append(createEntry({ event: 'denied' }), durable)
    expect([first.seq, second.seq]).toEqual([1, 2])
    const [one, two] = readRecords(dir)
    expect(one).toMatchObject({ seq: 1, prev: '0'.repeat(64), hash: first.hash })
    expect(two).toMatchObject({ seq: 2, prev: first.hash, hash: second.hash, event: 'denied' })
    expect(await verifyFolder(dir)).toMatchObject({
      records: 2,
      problems: [],
      last: second,
      repaired: 0,
    })
  })

  it('is readable by its owner alone', async () => {
    const dir = join(createFolder(), 'audit')
    await writeRecords(openLog(dir), 1)
    expect(statSync(dir).mode & 0o777).toBe(0o700)
    for (const file of listSegments(dir)) expect(statSync(file).mode & 0o777).toBe(0o600)
    expect(statSync(join(dir, 'head.json')).mode & 0o777).toBe(0o600)
  })

  it('writes a record that need not be durable at once and syncs it soon after', async () => {
    const dir = createFolder()
    const log = openLog(dir)
    await writeRecords(log, 1)
    const { seq } = await log.append(createEntry({ event: 'begun' }), { durable: false })
    expect(readRecords(dir)).toHaveLength(seq)
    const head = () =>
      (JSON.parse(readFileSync(join(dir, 'head.json'), 'utf8')) as { seq: number }).seq
    await expect.poll(head, { timeout: 10_000 }).toBe(seq)
  })

  it('continues one chain in a new segment when one is full', async () => {
    const dir = createFolder()
    const log = openLog(dir, 2000)
    await writeRecords(log, 12)
    expect(listSegments(dir).length).toBeGreaterThan(3)
    expect(await verifyFolder(dir)).toMatchObject({ records: 12, problems: [] })
    for (const file of listSegments(dir)) {
      const [line = ''] = readFileSync(file, 'utf8').split('\n')
      const { seq } = JSON.parse(line) as { seq: number }
      expect(file).toBe(join(dir, `${String(seq).padStart(16, '0')}.jsonl`))
    }
    await writeRecords(openLog(dir, 2000), 3)
    expect(await verifyFolder(dir)).toMatchObject({ records: 15, problems: [] })
  })

  it('continues the chain after a segment without records', async () => {
    const dir = createFolder()
    await writeRecords(openLog(dir), 2)
    writeFileSync(join(dir, '0000000000000003.jsonl'), '')
    await writeRecords(openLog(dir), 1)
    expect(await verifyFolder(dir)).toMatchObject({ records: 3, problems: [] })
  })

  it('is one chain when two logs of a process and other processes write', async () => {
    const dir = createFolder()
    const logs = [openLog(dir, 5000), openLog(dir, 5000)]
    const worker = fileURLToPath(new URL('write-entries.ts', import.meta.url))
    const children = Array.from({ length: 3 }, () =>
      spawn(process.execPath, ['--import', BUILT_MODULES, worker, dir, '20'], { stdio: 'inherit' }),
    )
    const ends = children.map(async (child) => await once(child, 'close'))
    await Promise.all(logs.map(async (log) => await writeRecords(log, 20)))
    for (const end of ends) expect((await end)[0]).toBe(0)
    const report = await verifyFolder(dir)
    expect(report).toMatchObject({ records: 100, problems: [], repaired: 0 })
    expect(readdirSync(dir).filter((name) => name.startsWith('lock.'))).toHaveLength(1)
  }, 60_000)
})

describe('an audit log whose lock is kept between records', () => {
  it('releases the lock when it is idle', async () => {
    const dir = createFolder()
    await writeRecords(openLog(dir), 20)
    const owners = () =>
      readdirSync(dir)
        .filter((name) => name.startsWith('lock.'))
        .map((name) => readlinkSync(join(dir, name)))
    await expect.poll(owners, { timeout: 10_000 }).toEqual(['free'])
    expect(readdirSync(dir)).not.toContain('wanted')
  })

  it('yields the lock to other writers during many writes', async () => {
    const dir = createFolder()
    const busy = openLog(dir)
    const over = new AbortController()
    const lanes = Array.from({ length: 4 }, async () => {
      while (!over.signal.aborted) await writeRecords(busy, 1)
    })
    await writeRecords(openLog(dir), 10)
    await writeRecords(openLog(dir), 10)
    over.abort()
    await Promise.all(lanes)
    expect(await verifyFolder(dir)).toMatchObject({ problems: [], repaired: 0 })
  }, 60_000)

  it('completes a record that need not be durable while others wait for the sync', async () => {
    const dir = createFolder()
    const log = openLog(dir)
    const seen: string[] = []
    const add = async (name: string, isDurable: boolean) => {
      const { seq } = await log.append(createEntry(), { durable: isDurable })
      seen.push(`${name} ${seq}`)
    }
    await writeRecords(log, 1)
    await Promise.all([add('ended', true), add('begun', false)])
    expect(seen).toEqual(['begun 3', 'ended 2'])
  })

  it('detects a change of its file by another program at the next write', async () => {
    const dir = createFolder()
    const log = openLog(dir)
    await writeRecords(log, 10)
    const [file = ''] = listSegments(dir)
    writeFileSync(file, `${readLines(dir).slice(0, -2).join('\n')}\n`)
    await writeRecords(log, 1)
    expect(readRecords(dir).map(({ seq, event }) => [seq, event])).toContainEqual([11, 'damaged'])
    expect((await verifyFolder(dir)).problems.map(({ code }) => code)).toEqual([
      'missing',
      'damaged',
    ])
  })

  it('continues after the whole folder was removed', async () => {
    const dir = join(createFolder(), 'audit')
    const log = openLog(dir)
    await writeRecords(log, 10)
    rmSync(dir, { recursive: true })
    await writeRecords(log, 1)
    expect(readRecords(dir)).toHaveLength(1)
  })
})

describe('an audit log after a crash', () => {
  async function killAndVerify(how: string, count: number, rounds: number): Promise<void> {
    const dir = createFolder()
    for (let round = 0; round < rounds; round++) {
      const acknowledged = await killWriters(how, dir, count)
      const found = readRecords(dir)
      for (const [seq, hash] of acknowledged) {
        expect(found.find((each) => each.seq === Number(seq))?.hash).toBe(hash)
      }
      expect(acknowledged.size).toBeGreaterThan(0)
      expect((await verifyFolder(dir)).problems).toEqual([])
    }
    await writeRecords(openLog(dir), 1)
    expect(await verifyFolder(dir)).toMatchObject({ problems: [], endsTorn: false })
  }

  it('has every acknowledged record, in one chain, after its writers were killed', async () => {
    await killAndVerify('busy audit', 2, 1)
  })

  it.each([
    ['its writers are', 'audit', 4],
    ['busy writers are', 'busy audit', 3],
    ['a single busy writer is', 'busy audit', 1],
  ])(
    'has every acknowledged record, in one chain, whenever %s killed',
    { tags: ['slow'], timeout: 120_000 },
    async (_, how, count) => await killAndVerify(how, count, 3),
  )

  it.each([1, 50, 4000])(
    'cuts off %i bytes of a partial record and records the repair',
    async (length) => {
      const dir = createFolder()
      await writeRecords(openLog(dir), 2)
      const [file = ''] = listSegments(dir)
      const whole = readFileSync(file)
      appendFileSync(file, '{"seq":3,"time":"2026'.padEnd(length, 'x').slice(0, length))
      expect(await verifyFolder(dir)).toMatchObject({ records: 2, endsTorn: true, problems: [] })
      await writeRecords(openLog(dir), 1)
      expect(readFileSync(file).subarray(0, whole.length)).toEqual(whole)
      const [, , repair, last] = readRecords(dir)
      expect(repair).toMatchObject({ seq: 3, event: 'repaired', cut_bytes: length })
      expect(last).toMatchObject({ seq: 4, event: 'ended' })
      expect(await verifyFolder(dir)).toMatchObject({
        records: 4,
        repaired: 1,
        endsTorn: false,
        problems: [],
      })
    },
  )

  it('continues after records that its head does not know yet', async () => {
    const dir = createFolder()
    const log = openLog(dir)
    await writeRecords(log, 1)
    const head = readFileSync(join(dir, 'head.json'))
    await writeRecords(log, 2)
    writeFileSync(join(dir, 'head.json'), head)
    expect(await verifyFolder(dir)).toMatchObject({ records: 3, problems: [] })
    await writeRecords(openLog(dir), 1)
    expect(await verifyFolder(dir)).toMatchObject({ records: 4, problems: [] })
  })

  it('takes over the lock of a dead process and waits for one that is alive', async () => {
    const dir = createFolder()
    await writeRecords(openLog(dir), 1)
    const [lock = ''] = readdirSync(dir).filter((name) => name.startsWith('lock.'))
    const { createSharedMark } = await import('../../../src/util/owner.ts')
    const gone = createSharedMark().replace(/\.\d+-\d+$/, '.4194303-1')
    rmSync(join(dir, lock))
    symlinkSync(`${gone}.${Date.now()}`, join(dir, lock))
    await writeRecords(openLog(dir), 1)
    expect(readRecords(dir)).toHaveLength(2)
    const number = Number(lock.split('.')[1]) + 10
    symlinkSync(`${createSharedMark()}.${Date.now()}`, join(dir, `lock.${number}`))
    let isWritten = false
    const writing = writeRecords(openLog(dir), 1).then(() => (isWritten = true))
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(isWritten).toBe(false)
    rmSync(join(dir, `lock.${number}`))
    symlinkSync('free', join(dir, `lock.${number}`))
    await writing
    expect(await verifyFolder(dir)).toMatchObject({ records: 3, problems: [] })
  })
})

describe.skipIf(NO_SMALL_DISK)(
  `a full disk${NO_SMALL_DISK ? ` (not run: ${NO_SMALL_DISK})` : ''}`,
  () => {
    it('writes no partial record, and the next record completely once there is space', async () => {
      const dir = join(createSmallDisk(1024 ** 2), 'audit')
      const log = openLog(dir)
      await writeRecords(log, 2)
      const giveBack = fillDisk(join(dir, '..'))
      const before = readLines(dir)
      const large = createEntry({ contents: { code: 'x'.repeat(60_000) } })
      await expect(log.append(large, durable)).rejects.toMatchObject({
        code: 'store/full',
        data: { code: 'audit-unavailable', layer: 'audit' },
      })
      expect(readLines(dir)).toEqual(before)
      giveBack()
      await writeRecords(log, 1)
      expect(await verifyFolder(dir)).toMatchObject({ records: 3, problems: [], repaired: 0 })
    })
  },
)

describe('an audit log that is not writable', () => {
  it('throws, because nothing may run without a record', async () => {
    const file = join(createFolder({ file: '' }), 'file/audit')
    await expect(openLog(file).append(createEntry(), durable)).rejects.toMatchObject({
      code: 'audit/unavailable',
      data: { code: 'audit-unavailable' },
    })
  })
})
