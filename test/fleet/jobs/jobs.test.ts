// @module-tag slow
// @module-tag nightly
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { takeFence } from '../../../src/fleet/messages/fence.ts'
import { createJobProgress, keepJobs } from '../../../src/fleet/jobs/keep-jobs.ts'
import { JobFleet } from './job-fleet.ts'
import { readRefusal, type JobFront } from './job-front.ts'

let fleet: JobFleet
let front: JobFront

beforeEach(async () => {
  fleet = await JobFleet.start({ maxJobs: 4 })
  front = await fleet.addFront('front1')
})
afterEach(async () => {
  const violations = await fleet.check()
  await fleet.close()
  expect(violations).toEqual([])
})

async function listJobs(): Promise<string[]> {
  return await front.engine.subjects('jobs', 'j.>')
}

/** Waits until all jobs have left the queue. */
async function waitForEmptyQueue(): Promise<void> {
  await expect.poll(listJobs, { timeout: 10_000 }).toEqual([])
}

describe('a detached run', () => {
  it('ends on a worker, and any front reads its result', async () => {
    await fleet.addWorker('w1')
    const other = await fleet.addFront('front2')
    const id = await front.start(50)
    expect(await other.wait(id)).toBe('completed')
    expect(await front.wait(id)).toBe('completed')
    expect(fleet.begins(id)).toEqual(['w1'])
    const { start } = (await other.store.find(id)) ?? {}
    expect(start).toMatchObject({ run_id: id, kind: 'run_code', principal: 'test' })
    await waitForEmptyQueue()
  })

  it('waits in the queue until a worker starts', async () => {
    const id = await front.start(20)
    expect(await front.store.find(id)).toMatchObject({ end: undefined, isLost: false })
    expect(await listJobs()).toHaveLength(1)
    await fleet.addWorker('w1')
    expect(await front.wait(id)).toBe('completed')
  })

  it('leaves a place of its worker to callers', async () => {
    await fleet.addWorker('w1', { places: 2 })
    const ids = [await front.start(1500), await front.start(1500)]
    await Promise.all(ids.map(async (id) => await front.wait(id)))
    const entries = fleet.entries.filter(({ t }) => t === 'begin' || t === 'end')
    expect(entries.map(({ t }) => t)).toEqual(['begin', 'end', 'begin', 'end'])
  })

  it('is sent again under its id without a second run', async () => {
    await fleet.addWorker('w1')
    const runId = createRunId()
    await Promise.all([front.start(300, { runId }), front.start(300, { runId })])
    expect(await front.wait(runId)).toBe('completed')
    await front.start(300, { runId })
    await waitForEmptyQueue()
    expect(fleet.begins(runId)).toHaveLength(1)
    expect(await readRefusal(front.start(301, { runId }))).toBe('params/invalid')
    expect(await readRefusal(front.start(300, { runId, caller: { name: 'other' } }))).toBe(
      'params/invalid',
    )
  })

  it('is refused if the id is that of a call', async () => {
    const runId = createRunId()
    const fence = { t: 'begun', node: 'w1', start: 'a', at: '', digest: 'other' } as const
    await takeFence(front.engine, { call: runId, attempt: 1 }, fence)
    expect(await readRefusal(front.start(10, { runId }))).toBe('params/invalid')
  })

  it('is refused with run/busy if the queue is full, or the caller has too many', async () => {
    for (let count = 0; count < 4; count++) await front.start(1)
    expect(await readRefusal(front.start(1))).toBe('run/busy')
    await fleet.addWorker('w1')
    await waitForEmptyQueue()
    const small = await fleet.addFront('front2', { maxPerCaller: 1 })
    await small.start(3000)
    expect(await readRefusal(small.start(1))).toBe('run/busy')
    expect(await readRefusal(small.start(1, { caller: { name: 'other' } }))).toBe('started')
  })

  it('that waited for too long ends without a run', async () => {
    const hasty = await fleet.addFront('front2', { jobWaitMs: 1 })
    const id = await hasty.start(10)
    await fleet.addWorker('w1')
    expect(await hasty.wait(id)).toBe('run/busy')
    expect(fleet.begins(id)).toEqual([])
    await waitForEmptyQueue()
  })
})

describe('the arguments of a detached run', () => {
  it('are not in the queue in clear, and may be large', async () => {
    const data = 'sesame'.repeat(200_000)
    const id = await front.start(10, { data })
    const bodies: Uint8Array[] = []
    for (const stream of ['calls', 'data'] as const)
      for await (const { body } of front.engine.list(stream, '>')) bodies.push(body)
    for (const subject of await listJobs()) {
      const job = await front.engine.last('jobs', subject)
      if (job) bodies.push(job.body)
    }
    expect(Buffer.concat(bodies).length).toBeGreaterThan(data.length)
    expect(Buffer.concat(bodies).includes('sesame')).toBe(false)
    await fleet.addWorker('w1')
    expect(await front.wait(id)).toBe('completed')
    expect((await front.store.find(id))?.end?.result).toMatchObject({ received: data.length })
  })

  it('are left to a worker that has the key', async () => {
    await fleet.addWorker('w1', { hasKey: false })
    const id = await front.start(10)
    await sleep(500)
    expect(fleet.begins(id)).toEqual([])
    await fleet.addWorker('w2')
    expect(await front.wait(id)).toBe('completed')
    expect(fleet.begins(id)).toEqual(['w2'])
  })

  it('are refused without a key if the skill declares secrets', async () => {
    const open = await fleet.addFront('front2', { keyFile: undefined })
    expect(await readRefusal(open.start(10, { hasSecrets: true }))).toBe('params/invalid')
    await fleet.addWorker('w1')
    expect(await open.wait(await open.start(10))).toBe('completed')
  })
})

describe('a cancelled run', () => {
  it('never begins if it is queued', async () => {
    const id = await front.start(10)
    await front.store.requestCancel(id)
    expect(await listJobs()).toEqual([])
    await fleet.addWorker('w1')
    expect(await front.wait(id)).toBe('run/cancelled')
    const next = await front.start(10)
    expect(await front.wait(next)).toBe('completed')
    expect(fleet.begins(id)).toEqual([])
  })

  it('ends on its worker, from any front', async () => {
    await fleet.addWorker('w1')
    const other = await fleet.addFront('front2')
    const id = await front.start(60_000)
    await fleet.waitForBegin(id)
    await other.store.requestCancel(id)
    expect(await front.wait(id)).toBe('run/cancelled')
  })

  it('has one outcome if a worker takes it at the same time', async () => {
    await fleet.addWorker('w1', { places: 4 })
    const ids = await Promise.all(Array.from({ length: 3 }, async () => await front.start(30_000)))
    await Promise.all(ids.map(async (id) => await front.store.requestCancel(id)))
    for (const id of ids) expect(await front.wait(id)).toBe('run/cancelled')
    await waitForEmptyQueue()
  })

  it('ends although its front died before it wrote the end', async () => {
    const id = await front.start(10)
    const fence = { t: 'revoked', node: 'front9', at: '' } as const
    await takeFence(front.engine, { call: id, attempt: 1 }, fence)
    await fleet.addWorker('w1')
    expect(await front.wait(id)).toBe('run/cancelled')
  })
})

describe('the keeper', () => {
  const keeping = () => {
    const { engine, ends, identity, workers } = front
    const isAlive = ({ node, start }: { node: string; start: string }) =>
      workers.isThere(node, start)
    return { engine, ends, identity, isAlive }
  }

  it('queues a run whose front died between the first fence and the job', async () => {
    const id = await front.start(10)
    await front.engine.remove('jobs', 'j.>')
    const progress = createJobProgress()
    expect(await keepJobs(keeping(), progress)).toBe(0)
    await sleep(10_100)
    expect(await keepJobs(keeping(), progress)).toBe(1)
    expect(await keepJobs(keeping(), progress)).toBe(0)
    await fleet.addWorker('w1')
    expect(await front.wait(id)).toBe('completed')
    await waitForEmptyQueue()
    expect(await keepJobs(keeping(), createJobProgress())).toBe(0)
  })

  it('ends a run that no worker took in time', async () => {
    const hasty = await fleet.addFront('front2', { jobWaitMs: 1 })
    const id = await hasty.start(10)
    expect(await keepJobs(keeping(), { ...createJobProgress(), overdueCheckedAt: -1e9 })).toBe(1)
    expect(await hasty.wait(id)).toBe('run/busy')
    expect(await listJobs()).toEqual([])
  })
})
