// @module-tag slow
// @module-tag nats-server
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { takeFence } from '../../../src/fleet/messages/fence.ts'
import { CallFleet } from './call-fleet.ts'

let fleet: CallFleet

beforeAll(async () => {
  fleet = await CallFleet.start()
})
afterAll(async () => await fleet.close())
beforeEach(() => fleet.reset())

describe('a call that two fronts ask', () => {
  it('has one answer for both if the same worker has it', async () => {
    const id = createRunId()
    const first = fleet.run('front1', id, 300)
    await fleet.waitForBegin(id)
    const second = fleet.run('front2', id, 300)
    await expect(Promise.all([first, second])).resolves.toEqual(['completed', 'completed'])
    expect(fleet.begins(id)).toBe(1)
  })

  it('has one answer for both while the fence is not written yet', async () => {
    const id = createRunId()
    fleet.delayFences(300)
    const outcomes = Promise.all([fleet.run('front1', id, 50), fleet.run('front2', id, 50)])
    await expect(outcomes).resolves.toEqual(['completed', 'completed'])
    expect(fleet.begins(id)).toBe(1)
  })

  it('is followed by both if the fence of their worker is refused', async () => {
    const id = createRunId()
    // Another node has the fence, and stores an end later.
    fleet.delayFences(300)
    const outcomes = Promise.all([fleet.run('front1', id, 50), fleet.run('front2', id, 50)])
    const { engine, ends } = fleet.fronts.front1
    const digest = fleet.digest(50)
    const fence = { t: 'begun', node: 'w1', start: 'other', at: '', digest } as const
    await takeFence(engine, { call: id, attempt: 1 }, fence)
    await ends.write(id, { result: { status: 'completed' } })
    await expect(outcomes).resolves.toEqual(['completed', 'completed'])
    expect(fleet.begins(id)).toBe(0)
  })

  it('is refused as taken if its parameters differ', async () => {
    const id = createRunId()
    await expect(fleet.run('front1', id, 10)).resolves.toBe('completed')
    await expect(fleet.run('front1', id, 11)).resolves.toBe('params/invalid')
    await expect(fleet.run('front2', id, 12)).resolves.toBe('params/invalid')
    await expect(fleet.run('front2', id, 10)).resolves.toBe('completed')
    expect(fleet.begins(id)).toBe(1)
  })

  it('is refused as taken if its caller differs', async () => {
    const id = createRunId()
    await expect(fleet.run('front1', id, 10)).resolves.toBe('completed')
    const other = { ...fleet.createCall(id), caller: { name: 'other' } }
    await expect(fleet.fronts.front2.perform(other, { ms: 10 })).rejects.toMatchObject({
      code: 'params/invalid',
      data: { reason: expect.stringContaining('taken') as string },
    })
  })
})

describe('an attempt', () => {
  it('that was revoked does not remove the next one from its worker', async () => {
    const id = createRunId()
    // The first fence of the worker arrives after the front has revoked the attempt.
    fleet.delayFences(900, 1)
    await expect(fleet.run('front1', id, 3500)).resolves.toBe('completed')
    expect(fleet.attempts(id)).toEqual([2])
  })

  it('is revoked although the engine did not confirm the first try', async () => {
    const id = createRunId()
    const fence = { t: 'revoked', node: 'front1', at: '' } as const
    const { engine } = fleet.fronts.front1
    await takeFence(engine, { call: id, attempt: 1 }, fence)
    await expect(fleet.run('front1', id, 10)).resolves.toBe('completed')
    expect(fleet.attempts(id)).toEqual([2])
  })
})

describe('a worker', () => {
  it('is not given up because of one message that nobody received', async () => {
    const id = createRunId()
    const run = fleet.run('front1', id, 1500)
    await fleet.waitForBegin(id)
    const view = fleet.fronts.front1.workers.find('w1')
    if (!view) throw new Error('the front does not hear the worker')
    fleet.fronts.front1.workers.avoid(view, true)
    await sleep(300)
    await expect(run).resolves.toBe('completed')
  })

  it('is followed by each front once, however often they ask', async () => {
    const id = createRunId()
    const run = fleet.run('front1', id, 1500)
    await fleet.waitForBegin(id)
    let ends = 0
    const stop = fleet.fronts.front1.engine.subscribe('a.front2.*', ({ body }) => {
      if (Buffer.from(body).includes('"t":"end"')) ends += 1
    })
    await expect(fleet.run('front2', id, 1500)).resolves.toBe('completed')
    await run
    await sleep(100)
    stop()
    expect(ends).toBe(1)
  })
})

describe('a message larger than 512 KiB', () => {
  it('carries the parameters of a call', async () => {
    const data = 'x'.repeat(1_500_000)
    const result = await fleet.fronts.front1.perform(fleet.createCall(), { ms: 1, data })
    expect(result).toMatchObject({ status: 'completed', received: data.length })
  })

  it('carries the result of a call', async () => {
    const call = fleet.createCall()
    const result = await fleet.fronts.front1.perform(call, { ms: 1, size: 1_500_000 })
    expect((result as { text: string }).text).toHaveLength(1_500_000)
    const repeated = await fleet.fronts.front2.perform(call, { ms: 1, size: 1_500_000 })
    expect(repeated).toEqual(result)
  })
})
