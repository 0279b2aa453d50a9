// @module-tag slow
import { text } from 'node:stream/consumers'
import { describe, expect, it } from 'vitest'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { openObjects } from '../../../src/fleet/objects/open-objects.ts'
import { declareInterrupted } from '../../../src/fleet/records/declare-interrupted.ts'
import { readEnd, writeEnd, type EncodedEnd } from '../../../src/fleet/records/run-end.ts'
import { listRunUploads } from '../../../src/fleet/records/run-objects.ts'
import { createRecord } from '../../core/runs/history/example-record.ts'
import { addRun, describeRunStore, readContent } from '../../core/runs/history/run-store-suite.ts'
import { openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'
import { createHolder, openNodeStore, OPEN_OPTIONS } from './run-stores.ts'

const context = useNatsServer()

describeRunStore('a fleet', async ({ ttlMs }) => {
  const engine = await openTestEngine(context.server)
  return openNodeStore(engine, 'worker', { limits: { quotaBytes: 1e9, ttlMs } })
})

/** A worker that performs runs, and a front that reads their records. */
async function openNodes(front: Parameters<typeof openNodeStore>[2] = {}) {
  const engine = await openTestEngine(context.server)
  const objects = openObjects(engine, 'data')
  const worker = openNodeStore(engine, 'worker')
  return { engine, objects, worker, front: openNodeStore(engine, 'front', front) }
}

describe('two nodes that begin a run with one id', () => {
  it('one of them succeeds', async () => {
    const { worker, front } = await openNodes()
    for (let round = 0; round < 10; round++) {
      const record = createRecord(createRunId())
      const opened = await Promise.allSettled([
        worker.open(record, OPEN_OPTIONS),
        front.open(record, OPEN_OPTIONS),
      ])
      const refused = opened.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
      expect(refused).toMatchObject([{ code: 'params/invalid' }])
    }
  })
})

describe('a run that was declared interrupted', () => {
  async function interruptRun() {
    const nodes = await openNodes()
    const record = createRecord(createRunId())
    const opened = await nodes.worker.open(record, OPEN_OPTIONS)
    opened.log('out\n', 'stdout')
    const { objects, engine } = nodes
    const interruption = { by: createHolder('front'), reason: 'The worker is gone', objects }
    const declare = async () => await declareInterrupted(engine, record.run_id, interruption)
    return { ...nodes, record, opened, declare }
  }

  it('keeps that end, and reports the late one', async () => {
    const { worker, front, record, opened, declare } = await interruptRun()
    expect(await declare()).toBe('declared')
    const interrupted = await front.get(record.run_id)
    expect(interrupted).toMatchObject({
      status: 'interrupted',
      ended_at: null,
      error: { type: 'run/interrupted', message: 'The worker is gone' },
    })
    expect(interrupted.late).toBeUndefined()
    const ended = { ...record, status: 'completed', summary: 'done' } as const
    await expect(opened.close(ended)).rejects.toMatchObject({ code: 'run/interrupted' })
    for (const store of [worker, front]) {
      const late = { status: 'completed', summary: 'done' }
      expect(await store.get(record.run_id)).toMatchObject({ status: 'interrupted', late })
      expect(await text(await store.logs(record.run_id))).toBe('')
    }
    expect((await front.list({ status: 'interrupted' })).runs).toHaveLength(1)
    await front.remove(record.run_id)
    await expect(front.get(record.run_id)).rejects.toMatchObject({ code: 'run/not-found' })
  })

  it('keeps the end of the run if that was stored first', async () => {
    const { engine, front, record, opened, declare } = await interruptRun()
    await opened.close({ ...record, status: 'completed' })
    expect(await declare()).toMatchObject({ status: 'completed', node: 'worker' })
    expect(await readEnd(engine, record.run_id)).toMatchObject({ status: 'completed' })
    const found = await front.get(record.run_id)
    expect(found.status).toBe('completed')
    expect(found.late).toBeUndefined()
  })

  it('has one end, whichever node is first', async () => {
    for (let round = 0; round < 10; round++) {
      const { front, record, opened, declare } = await interruptRun()
      const [closed, declared] = await Promise.allSettled([
        opened.close({ ...record, status: 'completed' }),
        declare(),
      ])
      const isDeclared = declared.status === 'fulfilled' && declared.value === 'declared'
      expect(closed.status).toBe(isDeclared ? 'rejected' : 'fulfilled')
      const { status } = await front.get(record.run_id)
      expect(status).toBe(isDeclared ? 'interrupted' : 'completed')
    }
  })

  it('is unknown if it has not begun', async () => {
    const { engine, objects } = await openNodes()
    const interruption = { by: createHolder('front'), reason: 'The worker is gone', objects }
    expect(await declareInterrupted(engine, createRunId(), interruption)).toBe('unknown')
  })
})

describe('a run of another node', () => {
  it('is interrupted only if that start of the node is gone for certain', async () => {
    for (const [isAlive, status] of [
      [undefined, 'running'],
      [true, 'running'],
      [false, 'interrupted'],
    ] as const) {
      const { worker, front } = await openNodes({ isAlive: () => isAlive })
      const record = createRecord(createRunId())
      await worker.open(record, OPEN_OPTIONS)
      expect((await front.get(record.run_id)).status).toBe(status)
      expect((await front.list()).runs).toMatchObject([{ status }])
      expect((await worker.get(record.run_id)).status).toBe('running')
      const removed = front.remove(record.run_id)
      if (isAlive === false) await removed
      else await expect(removed).rejects.toMatchObject({ code: 'run/busy' })
    }
  })

  it('has logs while it is active, which the node is asked for', async () => {
    const asked: unknown[] = []
    const nodes = await openNodes({
      readActiveLogs: async (id, holder, offset) => {
        asked.push(holder)
        return await nodes.worker.logs(id, offset)
      },
    })
    const record = createRecord(createRunId())
    const opened = await nodes.worker.open(record, OPEN_OPTIONS)
    opened.log('out\nmore\n', 'stdout')
    expect(await text(await nodes.front.logs(record.run_id, 4))).toBe('more\n')
    expect(asked).toEqual([createHolder('worker')])
    await opened.close({ ...record, status: 'completed' })
    expect(await text(await nodes.front.logs(record.run_id, 4))).toBe('more\n')
    expect(asked).toHaveLength(1)
  })

  it('that ended while its node was asked has the logs of its end', async () => {
    let end = async () => {}
    const { worker, front } = await openNodes({
      readActiveLogs: async () => {
        await end()
        return undefined
      },
    })
    const record = createRecord(createRunId())
    const opened = await worker.open(record, OPEN_OPTIONS)
    opened.log('out\n')
    expect(await text(await front.logs(record.run_id))).toBe('')
    end = async () => await opened.close({ ...record, status: 'completed' })
    expect(await text(await front.logs(record.run_id))).toBe('out\n')
  })

  it('has no logs if no node can be asked', async () => {
    const { worker, front } = await openNodes()
    const record = createRecord(createRunId())
    const opened = await worker.open(record, OPEN_OPTIONS)
    opened.log('out\n')
    expect(await text(await front.logs(record.run_id))).toBe('')
  })
})

describe('an end that is taken over', () => {
  it('is stored by the caller, with its answer', async () => {
    const { engine, front } = await openNodes()
    const taken = new Map<string, EncodedEnd>()
    const worker = openNodeStore(engine, 'worker', {
      onClose: (id, end) => {
        if (!id.startsWith('run_a')) return undefined
        taken.set(id, end)
        return Promise.resolve()
      },
    })
    const id = `run_a${'0'.repeat(23)}`
    const record = createRecord(id)
    await (await worker.open(record, OPEN_OPTIONS)).close({ ...record, status: 'completed' })
    expect(await readEnd(engine, id)).toBeUndefined()
    const end = { ...(taken.get(id) as EncodedEnd), answer: { result: 7 } }
    await writeEnd(engine, id, end)
    expect(await readEnd(engine, id)).toEqual(JSON.parse(JSON.stringify(end)))
    expect((await front.get(id)).status).toBe('completed')
    const other = createRecord(`run_b${'0'.repeat(23)}`)
    await (await worker.open(other, OPEN_OPTIONS)).close({ ...other, status: 'failed' })
    expect((await front.get(other.run_id)).status).toBe('failed')
    expect([...taken.keys()]).toEqual([id])
  })

  it('that is stored twice by its writer is one end', async () => {
    const { engine, worker } = await openNodes()
    const id = await addRun(worker)
    const end = await readEnd(engine, id)
    await writeEnd(engine, id, end as EncodedEnd)
    expect(await readEnd(engine, id, 'late')).toBeUndefined()
  })
})

describe('a call that ended without the record of its run', () => {
  it('leaves a run that is interrupted', async () => {
    const { engine, front, worker } = await openNodes()
    const record = createRecord(createRunId())
    const opened = await worker.open(record, OPEN_OPTIONS)
    const answer = { node: 'front', start: '1', status: 'interrupted', answer: {} }
    await engine.create('runs', `r.${record.run_id}.end`, JSON.stringify(answer))
    await engine.create('runs', `r.${createRunId()}.end`, JSON.stringify(answer))
    expect((await front.get(record.run_id)).status).toBe('interrupted')
    expect((await front.list()).runs).toMatchObject([{ status: 'interrupted' }])
    const closed = opened.close({ ...record, status: 'completed' })
    await expect(closed).rejects.toMatchObject({ code: 'run/interrupted' })
    expect(await front.get(record.run_id)).toMatchObject({
      status: 'interrupted',
      late: { status: 'completed' },
    })
    expect((await front.expire()).kept.count).toBe(1)
  })
})

describe('parts of a record that are too large for a message', () => {
  it('are objects, which belong to the record', async () => {
    const { engine, worker, front } = await openNodes()
    const args = { text: 'x'.repeat(600 * 1024) }
    const record = createRecord(createRunId(), {
      request: { args, args_cut: [], input_blobs: [], timeout_ms: null },
    })
    const opened = await worker.open(record, OPEN_OPTIONS)
    expect(await front.get(record.run_id)).toEqual(record)
    const line = `${'line'.repeat(300)}\n`
    for (let count = 0; count < 1000; count++) {
      opened.log(line, count % 2 === 0 ? 'stdout' : 'stderr')
    }
    expect(await text(await worker.logs(record.run_id))).toBe(line.repeat(1000))
    const ended = { ...record, status: 'completed', logs: opened.describeLogs() } as const
    await opened.close(ended)
    expect(await front.get(record.run_id)).toEqual(ended)
    expect((await front.list()).runs).toEqual([ended])
    expect(await text(await front.logs(record.run_id))).toBe(line.repeat(1000))
    expect(await text(await front.logs(record.run_id, line.length * 999))).toBe(line)
    const { stdout, stderr } = await front.output(record.run_id)
    expect(await readContent(stdout)).toBe(line.repeat(500))
    expect(await readContent(stderr)).toBe(line.repeat(500))
    expect((await listRunUploads(engine)).size).toBe(3)
    await front.remove(record.run_id)
    expect(await engine.measure('data')).toMatchObject({ messages: 0 })
    expect(await engine.measure('runs')).toMatchObject({ messages: 0 })
  })

  it('are reported as expired if only they are gone', async () => {
    const { engine, worker, front } = await openNodes()
    const record = createRecord(createRunId())
    const opened = await worker.open(record, OPEN_OPTIONS)
    opened.log(Buffer.alloc(100_000))
    await opened.close({ ...record, status: 'completed' })
    await engine.remove('data', 'd.>')
    expect((await front.get(record.run_id)).status).toBe('completed')
    const logs = await front.logs(record.run_id)
    await expect(text(logs)).rejects.toMatchObject({ code: 'output/expired' })
  })

  it('that cannot be stored leave a run that was interrupted', async () => {
    const engine = await openTestEngine(context.server)
    const objects = {
      ...openObjects(engine, 'data'),
      write: async () => Promise.reject(new Error()),
    }
    const worker = openNodeStore(engine, 'worker', { objects })
    const record = createRecord(createRunId())
    const opened = await worker.open(record, OPEN_OPTIONS)
    opened.log(Buffer.alloc(100_000))
    await expect(opened.close({ ...record, status: 'completed' })).rejects.toThrow()
    const { status } = await openNodeStore(engine, 'front').get(record.run_id)
    expect(status).toBe('interrupted')
  })
})

describe('expiry of the runs of a fleet', () => {
  it('removes the oldest above the quota, and reports the rest', async () => {
    const engine = await openTestEngine(context.server)
    const removed: string[] = []
    const store = openNodeStore(engine, 'worker', {
      limits: { quotaBytes: 20_000, ttlMs: 1e9 },
      onRemoved: async (id) => void removed.push(id),
    })
    const ids: string[] = []
    for (let count = 0; count < 20; count++) ids.push(await addRun(store))
    const active = createRecord(createRunId())
    await store.open(active, OPEN_OPTIONS)
    const planned = await store.expire({ dryRun: true })
    expect(await store.list({ limit: 100 })).toMatchObject({ runs: { length: 21 } })
    const done = await store.expire()
    expect(done).toEqual(planned)
    expect(done.kept.bytes).toBeLessThanOrEqual(20_000)
    expect(removed).toEqual(ids.slice(0, done.removed))
    const { runs } = await store.list({ limit: 100 })
    const kept = ids.slice(done.removed).toReversed()
    expect(runs.map((run) => run.run_id)).toEqual([active.run_id, ...kept])
    expect(kept).toHaveLength(done.kept.count)
    expect(await store.expire()).toMatchObject({ removed: 0, kept: done.kept })
  })
})
