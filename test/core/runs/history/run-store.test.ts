import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { openRunStore } from '../../../../src/core/runs/history/file-run-store.ts'
import { createRunId } from '../../../../src/core/runs/history/run-id.ts'
import type { RunRecord } from '../../../../src/core/runs/history/run-record.ts'
import type { RecordedStream, RunStore } from '../../../../src/core/runs/history/run-store.ts'
import { createMemoryRunStore } from '../../../helpers/memory/run-store.ts'
import { createFolder } from '../../../helpers/skills.ts'
import { createRecord } from './example-record.ts'

const HOUR = 3_600_000
const OPTIONS = { isIdFromCaller: true, maxLogBytes: 1e6 }

const STORES: [string, (limits: { ttlMs: number }) => RunStore][] = [
  ['files', (limits) => openRunStore(createFolder(), { quotaBytes: 1e9, ...limits })],
  ['memory', createMemoryRunStore],
]

/** Behaviour of every store of run records, independent of the storage. */
describe.each(STORES)('a store of run records in %s', (_, make) => {
  const open = () => make({ ttlMs: 30 * 24 * HOUR })
  const ago = (ms: number) => new Date(Date.now() - ms).toISOString()

  async function add(store: RunStore, change: Partial<RunRecord> = {}): Promise<string> {
    const record = createRecord(createRunId(), change)
    const opened = await store.open({ ...record, status: 'running' }, OPTIONS)
    opened.log('out\n', 'stdout')
    opened.log('err\n', 'stderr')
    opened.log('note\n')
    opened.log('more\n', 'stdout')
    await opened.close({ ...record, status: change.status ?? 'completed' })
    return record.run_id
  }

  async function contentOf(stream: RecordedStream): Promise<string> {
    let content = ''
    await stream.read((bytes) => (content += bytes.toString()) !== '')
    return content
  }

  it('lists the newest first, in pages without gaps', async () => {
    const store = open()
    const ids: string[] = []
    for (let hours = 60; hours > 0; hours -= 10) {
      ids.unshift(await add(store, { started_at: ago(hours * HOUR) }))
    }
    expect((await store.list()).runs.map((run) => run.run_id)).toEqual(ids)
    const listed: string[] = []
    let cursor: string | undefined
    do {
      const page = await store.list({ limit: 4, cursor })
      listed.push(...page.runs.map((run) => run.run_id))
      cursor = page.next_cursor ?? undefined
      // A record that is added or removed between two pages does not move the others.
      await add(store)
      await store.remove(page.runs.at(-1)?.run_id as string)
    } while (cursor !== undefined)
    expect(listed).toEqual(ids)
  })

  it('finds records by status, by skill and by prefix of their ids', async () => {
    const store = open()
    const failed = await add(store, { status: 'failed' })
    const other = await add(store, {
      skills: [{ name: 'demo.other', version: '2.0.0', digest: null }],
    })
    const ids = async (query: Parameters<RunStore['list']>[0]) =>
      (await store.list(query)).runs.map((run) => run.run_id)
    expect(await ids({ status: 'failed' })).toEqual([failed])
    expect(await ids({ skill: 'demo.other' })).toEqual([other])
    expect(await ids({ skill: 'demo.other@2.0.0' })).toEqual([other])
    expect(await ids({ skill: 'demo.other@1.0.0' })).toEqual([])
    expect(await store.find(other.slice(0, 16), 5)).toEqual([other])
    expect(await store.find(other.slice(4, 16), 5)).toEqual([other])
    expect(await store.find('', 1)).toHaveLength(1)
  })

  it('rejects a forged cursor and a limit of zero', async () => {
    const code = 'params/invalid'
    await expect(open().list({ cursor: 'forged' })).rejects.toMatchObject({ code })
    await expect(open().list({ limit: 0 })).rejects.toMatchObject({ code })
  })

  it('shows an active run, and rejects its removal and a second run with its id', async () => {
    const store = open()
    const record = createRecord(createRunId())
    const opened = await store.open(record, OPTIONS)
    expect((await store.get(record.run_id)).status).toBe('running')
    expect((await store.list({ status: 'running' })).runs).toHaveLength(1)
    await expect(store.open(record, OPTIONS)).rejects.toMatchObject({ code: 'params/invalid' })
    await expect(store.remove(record.run_id)).rejects.toMatchObject({ code: 'run/busy' })
    await expect(store.output(record.run_id)).rejects.toMatchObject({ code: 'run/busy' })
    await opened.close({ ...record, status: 'completed' })
    expect((await store.get(record.run_id)).status).toBe('completed')
    await expect(store.open(record, OPTIONS)).rejects.toMatchObject({ code: 'params/invalid' })
    await store.remove(record.run_id)
    await expect(store.get(record.run_id)).rejects.toMatchObject({ code: 'run/not-found' })
  })

  it('reads mixed logs, and each stream separately', async () => {
    const store = open()
    const id = await add(store)
    expect(await text(await store.logs(id))).toBe('out\nerr\nnote\nmore\n')
    const { record, stdout, stderr } = await store.output(id)
    expect(record).toMatchObject({ run_id: id, status: 'completed' })
    expect(stdout).toMatchObject({ bytes: 9, lineEnds: 2 })
    expect(await contentOf(stdout)).toBe('out\nmore\n')
    expect(stderr).toMatchObject({ bytes: 4, lineEnds: 1 })
    expect(await contentOf(stderr)).toBe('err\n')
  })

  it('expires records, but not those of active runs', async () => {
    const store = make({ ttlMs: 2 * HOUR })
    const old = await add(store)
    const record = createRecord(createRunId())
    const running = await store.open(record, OPTIONS)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3 * HOUR })
    onTestFinished(() => void vi.useRealTimers())
    await expect(store.get(old)).rejects.toMatchObject({ code: 'run/not-found' })
    expect((await store.get(record.run_id)).status).toBe('running')
    expect((await store.list()).runs.map((run) => run.run_id)).toEqual([record.run_id])
    expect(await store.expire({ dryRun: true })).toMatchObject({ removed: 1 })
    const { removed, bytesFreed } = await store.expire()
    expect(removed).toBe(1)
    expect(bytesFreed).toBeGreaterThan(0)
    expect(await store.expire()).toMatchObject({ removed: 0 })
    await running.close({ ...record, status: 'completed' })
  })

  it.each(['', 'run_', 'run_1234', '../../etc/passwd', `run_${'0'.repeat(24)}`])(
    'rejects the unknown run "%s"',
    async (id) => {
      const store = open()
      const calls = [store.get(id), store.logs(id), store.output(id), store.remove(id)]
      const reasons = (await Promise.allSettled(calls)).map((each) =>
        each.status === 'rejected' ? (each.reason as { code: string }).code : each.status,
      )
      expect(reasons).toEqual(Array.from(calls, () => 'run/not-found'))
    },
  )
})
