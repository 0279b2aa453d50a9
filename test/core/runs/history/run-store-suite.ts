import { text } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { createRunId } from '../../../../src/core/runs/history/run-id.ts'
import type { RunRecord } from '../../../../src/core/runs/history/run-record.ts'
import type {
  RecordedStream,
  RunQuery,
  RunStore,
} from '../../../../src/core/runs/history/run-store.ts'
import { createRecord } from './example-record.ts'

const HOUR = 3_600_000
const OPTIONS = { isIdFromCaller: true, maxLogBytes: 1e6 }

/** Adds the record of a run that has ended, with logs of all sources. Returns its id. */
export async function addRun(store: RunStore, change: Partial<RunRecord> = {}): Promise<string> {
  const record = createRecord(createRunId(), change)
  const opened = await store.open({ ...record, status: 'running' }, OPTIONS)
  opened.log('out\n', 'stdout')
  opened.log('err\n', 'stderr')
  opened.log('note\n')
  opened.log('more\n', 'stdout')
  await opened.close({ ...record, status: change.status ?? 'completed' })
  return record.run_id
}

/** Reads one stream of a recorded output. */
export async function readContent(stream: RecordedStream): Promise<string> {
  let content = ''
  await stream.read((bytes) => (content += bytes.toString()) !== '')
  return content
}

/** Lists the ids of all pages. */
export async function listAllIds(store: RunStore, query: RunQuery): Promise<string[]> {
  const ids: string[] = []
  for (let cursor: string | undefined; ;) {
    const page = await store.list({ ...query, cursor })
    ids.push(...page.runs.map((run) => run.run_id))
    if (page.next_cursor === null) return ids
    cursor = page.next_cursor
  }
}

/** Tests the behaviour of every store of run records, independent of the storage. */
export function describeRunStore(
  storage: string,
  make: (limits: { ttlMs: number }) => Promise<RunStore>,
): void {
  const open = async () => await make({ ttlMs: 30 * 24 * HOUR })
  describe(`a store of run records in ${storage}`, () => {
    testLists(open)
    testQueries(open)
    testActiveRuns(open)
    testLogs(open)
    testExpiry(make)
    testUnknownRuns(open)
  })
}

type Open = () => Promise<RunStore>

function testLists(open: Open): void {
  it('lists the newest first, in pages without gaps', async () => {
    const store = await open()
    const ids: string[] = []
    for (let hours = 60; hours > 0; hours -= 10) {
      ids.unshift(await addRun(store, { started_at: formatTimeAgo(hours * HOUR) }))
    }
    expect((await store.list()).runs.map((run) => run.run_id)).toEqual(ids)
    const listed: string[] = []
    let cursor: string | undefined
    do {
      const page = await store.list({ limit: 4, cursor })
      listed.push(...page.runs.map((run) => run.run_id))
      cursor = page.next_cursor ?? undefined
      // A record that is added or removed between two pages does not move the others.
      await addRun(store)
      await store.remove(page.runs.at(-1)?.run_id as string)
    } while (cursor !== undefined)
    expect(listed).toEqual(ids)
  })

  it('ends a page after the requested number of records was read', async () => {
    const store = await open()
    const ids: string[] = []
    for (let hours = 60; hours > 0; hours -= 10) {
      const change = { started_at: formatTimeAgo(hours * HOUR) }
      ids.unshift(await addRun(store, hours === 60 ? { ...change, status: 'failed' } : change))
    }
    const query = { status: 'failed', maxRead: 4 } as const
    const page = await store.list(query)
    const last = await store.get(ids[3] as string)
    expect(page).toMatchObject({ runs: [], read_until: last.started_at })
    expect(page.next_cursor).not.toBeNull()
    expect(await listAllIds(store, query)).toEqual(ids.slice(-1))
  })

  it('rejects a forged cursor and a limit of zero', async () => {
    const code = 'params/invalid'
    const store = await open()
    await expect(store.list({ cursor: 'forged' })).rejects.toMatchObject({ code })
    await expect(store.list({ limit: 0 })).rejects.toMatchObject({ code })
  })
}

function testQueries(open: Open): void {
  it('finds records by status, by skill and by prefix of their ids', async () => {
    const store = await open()
    const failed = await addRun(store, { status: 'failed' })
    const other = await addRun(store, {
      skills: [{ name: 'demo.other', version: '2.0.0', digest: null }],
    })
    const ids = async (query: RunQuery) => await listAllIds(store, query)
    expect(await ids({ status: 'failed' })).toEqual([failed])
    expect(await ids({ skill: 'demo.other' })).toEqual([other])
    expect(await ids({ skill: 'demo.other@2.0.0' })).toEqual([other])
    expect(await ids({ skill: 'demo.other@1.0.0' })).toEqual([])
    expect(await store.find(other.slice(0, 16), 5)).toEqual([other])
    expect(await store.find(other.slice(4, 16), 5)).toEqual([other])
    expect(await store.find(other, 5)).toEqual([other])
    expect(await store.find('', 1)).toHaveLength(1)
    expect(await store.find('run_', 5)).toHaveLength(2)
  })

  it('finds records by entry point, caller, kind, time, text and visibility', async () => {
    const store = await open()
    const old = await addRun(store, {
      started_at: formatTimeAgo(5 * HOUR),
      who: { door: 'http', caller: 'Ada' },
    })
    const request = { args: { name: 'Grace' }, args_cut: [], input_blobs: [], timeout_ms: null }
    const young = await addRun(store, { kind: 'execute', request })
    const ids = async (query: RunQuery) => await listAllIds(store, query)
    expect(await ids({ door: 'http' })).toEqual([old])
    expect(await ids({ caller: 'Ada' })).toEqual([old])
    expect(await ids({ kind: 'execute' })).toEqual([young])
    expect(await ids({ sinceMs: Date.now() - HOUR })).toEqual([young])
    expect(await ids({ untilMs: Date.now() - HOUR })).toEqual([old])
    expect(await ids({ sinceMs: Date.now() - 6 * HOUR, untilMs: Date.now() + HOUR })).toEqual([
      young,
      old,
    ])
    expect(await ids({ text: 'grace' })).toEqual([young])
    expect(await ids({ text: old.slice(6, 20) })).toEqual([old])
    expect(await ids({ isVisible: ({ who }) => who.caller === 'Ada' })).toEqual([old])
  })
}

function testActiveRuns(open: Open): void {
  it('shows an active run, and rejects its removal and a second run with its id', async () => {
    const store = await open()
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

  it('reads the logs of an active run so far, from an offset', async () => {
    const store = await open()
    const record = createRecord(createRunId())
    const opened = await store.open(record, { ...OPTIONS, isFollowed: true })
    expect(await text(await store.logs(record.run_id))).toBe('')
    opened.log('out\n', 'stdout')
    opened.log(Buffer.from('err\n'), 'stderr')
    expect(await text(await store.logs(record.run_id))).toBe('out\nerr\n')
    expect(await text(await store.logs(record.run_id, 4))).toBe('err\n')
    expect(await text(await store.logs(record.run_id, 8))).toBe('')
    await opened.close({ ...record, status: 'completed' })
  })
}

function testLogs(open: Open): void {
  it('reads mixed logs, and each stream separately', async () => {
    const store = await open()
    const id = await addRun(store)
    expect(await text(await store.logs(id))).toBe('out\nerr\nnote\nmore\n')
    expect(await text(await store.logs(id, 8))).toBe('note\nmore\n')
    expect(await text(await store.logs(id, 18))).toBe('')
    const { record, stdout, stderr } = await store.output(id)
    expect(record).toMatchObject({ run_id: id, status: 'completed' })
    expect(stdout).toMatchObject({ bytes: 9, lineEnds: 2 })
    expect(await readContent(stdout)).toBe('out\nmore\n')
    expect(stderr).toMatchObject({ bytes: 4, lineEnds: 1 })
    expect(await readContent(stderr)).toBe('err\n')
  })

  it('truncates logs at their limit, and records their size', async () => {
    const store = await open()
    const record = createRecord(createRunId())
    const opened = await store.open(record, { ...OPTIONS, maxLogBytes: 6 })
    opened.log('four', 'stdout')
    opened.log('more', 'stderr')
    opened.log('none')
    const logs = opened.describeLogs()
    expect(logs).toMatchObject({ size_bytes: 12, kept_bytes: 6 })
    await opened.close({ ...record, status: 'completed', logs })
    expect((await store.get(record.run_id)).logs).toEqual(logs)
    expect(await text(await store.logs(record.run_id))).toBe('fourmo')
    const { stderr } = await store.output(record.run_id)
    expect(await readContent(stderr)).toBe('mo')
  })
}

function testExpiry(make: (limits: { ttlMs: number }) => Promise<RunStore>): void {
  it('expires records, but not those of active runs', async () => {
    const store = await make({ ttlMs: 2 * HOUR })
    const old = await addRun(store)
    const record = createRecord(createRunId())
    const running = await store.open(record, OPTIONS)
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 3 * HOUR })
    onTestFinished(() => void vi.useRealTimers())
    await expect(store.get(old)).rejects.toMatchObject({ code: 'run/not-found' })
    expect((await store.get(record.run_id)).status).toBe('running')
    expect((await store.list()).runs.map((run) => run.run_id)).toEqual([record.run_id])
    expect(await store.find('', 5)).toEqual([record.run_id])
    expect(await store.expire({ dryRun: true })).toMatchObject({ removed: 1 })
    const { removed, bytesFreed } = await store.expire()
    expect(removed).toBe(1)
    expect(bytesFreed).toBeGreaterThan(0)
    expect(await store.expire()).toMatchObject({ removed: 0 })
    await running.close({ ...record, status: 'completed' })
  })
}

function testUnknownRuns(open: Open): void {
  it.each(['', 'run_', 'run_1234', '../../etc/passwd', `run_${'0'.repeat(24)}`])(
    'rejects the unknown run "%s"',
    async (id) => {
      const store = await open()
      const calls = [store.get(id), store.logs(id), store.output(id), store.remove(id)]
      const reasons = (await Promise.allSettled(calls)).map((each) =>
        each.status === 'rejected' ? (each.reason as { code: string }).code : each.status,
      )
      expect(reasons).toEqual(Array.from(calls, () => 'run/not-found'))
    },
  )
}

function formatTimeAgo(ms: number): string {
  return new Date(Date.now() - ms).toISOString()
}
