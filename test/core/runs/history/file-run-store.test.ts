import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { text as textOf } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it } from 'vitest'
import type { RunStoreLimits } from '../../../../src/core/runs/history/expire-runs.ts'
import { openRunStore } from '../../../../src/core/runs/history/file-run-store.ts'
import { createRunId } from '../../../../src/core/runs/history/run-id.ts'
import type { RunRecord } from '../../../../src/core/runs/history/run-record.ts'
import type { RunStore } from '../../../../src/core/runs/history/run-store.ts'
import { parseSealedJson, sealJson } from '../../../../src/util/sealed-json.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { createRecord } from './example-record.ts'

const HOUR = 3_600_000
const OPTIONS = { isIdFromCaller: false, maxLogBytes: 1e6 }

function openStore(limits: Partial<RunStoreLimits> = {}) {
  const dir = createFolder()
  return { dir, store: openRunStore(dir, { quotaBytes: 1e9, ttlMs: 30 * 24 * HOUR, ...limits }) }
}

async function addRecord(store: RunStore, change: Partial<RunRecord> = {}): Promise<string> {
  const record = createRecord(createRunId(), change)
  const opened = await store.open({ ...record, status: 'running' }, OPTIONS)
  opened.log('said\n')
  await opened.close({ ...record, status: change.status ?? 'completed' })
  return record.run_id
}

/** Returns the marker of a process that does not exist any more. */
async function createDeadMark(): Promise<string> {
  const { createSharedMark } = await import('../../../../src/util/owner.ts')
  return createSharedMark().replace(/\.\d+-\d+$/, '.1-1')
}

function formatTimeAgo(ms: number): string {
  return new Date(Date.now() - ms).toISOString()
}

describe('records', () => {
  it('are visible while they are written, and persist', async () => {
    const { store, dir } = openStore()
    const record = createRecord(createRunId())
    const opened = await store.open(record, OPTIONS)
    expect((await store.get(record.run_id)).status).toBe('running')
    expect((await store.list({ status: 'running' })).runs).toHaveLength(1)
    await expect(store.remove(record.run_id)).rejects.toMatchObject({ code: 'run/busy' })
    await store.expire()
    await opened.close({ ...record, status: 'completed' })
    expect((await store.get(record.run_id)).status).toBe('completed')
    await store.remove(record.run_id)
    await expect(store.get(record.run_id)).rejects.toMatchObject({ code: 'run/not-found' })
    expect(readdirSync(join(dir, '.open'))).toEqual([])
  })

  it('of processes that are gone are interrupted', async () => {
    const { store, dir } = openStore()
    const record = createRecord(createRunId())
    mkdirSync(join(dir, '.open'))
    const line = (owner: string) => `${sealJson({ record, owner })}\n`
    const marker = join(dir, '.open', record.run_id)
    await addRecord(store)
    writeFileSync(marker, line(await createDeadMark()))
    expect((await store.get(record.run_id)).status).toBe('interrupted')
    writeFileSync(marker, line('0badcafe.1-1'))
    // A process of another machine or container may be alive.
    expect((await store.get(record.run_id)).status).toBe('running')
  })

  it('are one file each, from the beginning of a run to its end', async () => {
    const { store, dir } = openStore()
    await addRecord(store)
    const record = createRecord(createRunId())
    const opened = await store.open(record, OPTIONS)
    const { ino } = statSync(join(dir, '.open', record.run_id))
    await opened.close({ ...record, status: 'completed' })
    const day = join(dir, record.started_at.slice(0, 10))
    const names = readdirSync(day).filter((name) => name.includes(record.run_id))
    expect(names).toHaveLength(1)
    expect(statSync(join(day, names[0] as string)).ino).toBe(ino)
    expect(readdirSync(join(dir, '.drafts'))).toEqual([])
  })

  it.each([
    ['nothing', 0, 'interrupted', ''],
    ['a part of it', 40, 'interrupted', ''],
    ['all but some logs', -1, 'interrupted', ''],
    ['all of it', Infinity, 'completed', 'said\n'],
  ])('of a process that was killed after writing %s of the end are recovered', async (...row) => {
    const [, length, status, logs] = row
    const { store, dir } = openStore()
    const record = createRecord(createRunId())
    const opened = await store.open({ ...record, status: 'running' }, OPTIONS)
    opened.log('said\n')
    await opened.close({ ...record, status: 'completed' })
    const day = join(dir, record.started_at.slice(0, 10))
    const file = join(day, readdirSync(day)[0] as string)
    const [first = '', ...rest] = readFileSync(file, 'utf8').split('\n')
    const begun = parseSealedJson(first) as object
    const line = sealJson({ ...begun, owner: await createDeadMark() })
    const text = [line, ...rest].join('\n')
    const begins = line.length + 1
    const marker = join(dir, '.open', record.run_id)
    rmSync(file)
    writeFileSync(marker, text.slice(0, length < 0 ? length : begins + length))
    expect((await store.get(record.run_id)).status).toBe('interrupted')
    await store.expire()
    expect(readdirSync(join(dir, '.open'))).toEqual([])
    expect((await store.get(record.run_id)).status).toBe(status)
    expect(await textOf(await store.logs(record.run_id))).toBe(logs)
    expect((await store.list()).runs).toMatchObject([{ run_id: record.run_id, status }])
  })

  it('are complete if another process assumed theirs to be dead', async () => {
    const { store, dir } = openStore()
    const record = createRecord(createRunId())
    const opened = await store.open({ ...record, status: 'running' }, OPTIONS)
    const marker = join(dir, '.open', record.run_id)
    const day = join(dir, record.started_at.slice(0, 10))
    const name = `${record.started_at.slice(11, 23).replace(/\D/g, '')}-${record.run_id}.json`
    mkdirSync(day, { recursive: true })
    renameSync(marker, join(day, name))
    opened.log('said\n')
    await opened.close({ ...record, status: 'completed' })
    expect((await store.get(record.run_id)).status).toBe('completed')
    expect(await textOf(await store.logs(record.run_id))).toBe('said\n')
    // Also after the whole folder was removed.
    const other = createRecord(createRunId())
    const again = await store.open({ ...other, status: 'running' }, OPTIONS)
    rmSync(join(dir, '.open'), { recursive: true })
    rmSync(day, { recursive: true })
    await again.close({ ...other, status: 'completed' })
    expect((await store.list()).runs).toMatchObject([{ status: 'completed' }])
  })

  it('that have expired are hidden and removed', async () => {
    const { store, dir } = openStore({ ttlMs: 2 * HOUR })
    const young = await addRecord(store, { started_at: formatTimeAgo(HOUR) })
    const old = await addRecord(store, { started_at: formatTimeAgo(3 * HOUR) })
    const older = await addRecord(store, { started_at: formatTimeAgo(100 * HOUR) })
    await expect(store.get(old)).rejects.toMatchObject({ code: 'run/not-found' })
    expect((await store.list()).runs.map((run) => run.run_id)).toEqual([young])
    expect(await store.expire({ dryRun: true })).toMatchObject({ removed: 2, kept: { count: 1 } })
    const { removed, bytesFreed } = await store.expire()
    expect(removed).toBe(2)
    expect(bytesFreed).toBeGreaterThan(0)
    expect(await store.expire()).toMatchObject({ removed: 0, bytesFreed: 0 })
    const days = readdirSync(dir).filter((name) => /^\d/.test(name))
    for (const day of days) expect(readdirSync(join(dir, day)).join()).not.toContain(older)
    expect(days).not.toContain(formatTimeAgo(100 * HOUR).slice(0, 10))
  })

  it('are removed for newer ones within the quota', async () => {
    const { store } = openStore({ quotaBytes: 10_000 })
    const ids: string[] = []
    for (let count = 0; count < 40; count++) {
      ids.push(await addRecord(store))
      await sleep(2)
    }
    const { runs } = await store.list()
    expect(runs.length).toBeLessThan(20)
    expect(runs.length).toBeGreaterThan(3)
    expect(runs.map((run) => run.run_id)).toEqual(ids.toReversed().slice(0, runs.length))
    expect((await store.expire()).kept.bytes).toBeLessThanOrEqual(10_000)
  })
})
