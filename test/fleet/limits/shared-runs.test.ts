// @module-tag slow
// @module-tag nightly
// @module-tag nats-server
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { RunSlot } from '../../../src/core/runs/queue/run-queue.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { FleetQueue } from '../../../src/fleet/front/fleet-queue.ts'
import { connectEngine, openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'

const nats = useNatsServer()
const MOST = 3
const NEVER = new AbortController().signal

class TestClock {
  now = 1_000_000
}

function createQueue(engine: Engine, front: string, clock: TestClock): FleetQueue {
  const queue = new FleetQueue({
    waiting: 1000,
    perCaller: undefined,
    hasSeveralCallers: true,
    shared: { engine, clock, front },
  })
  queue.setCapacity(100)
  onTestFinished(async () => await queue.stop())
  return queue
}

/** Two fronts of one fleet. */
async function createQueues(clock = new TestClock()): Promise<[FleetQueue, FleetQueue]> {
  const engine = await openTestEngine(nats.server)
  const other = await connectEngine(nats.server, engine.tenant)
  return [createQueue(engine, 'one', clock), createQueue(other, 'two', clock)]
}

const acquire = async (queue: FleetQueue, name = 'alice') => await queue.acquire(NEVER, name, MOST)

/** Starts acquiring; the returned list has the slots that were acquired so far. */
function collect(queue: FleetQueue, count: number): RunSlot[] {
  const slots: RunSlot[] = []
  for (let at = 0; at < count; at++) void acquire(queue).then((slot) => slots.push(slot))
  return slots
}

describe('concurrent runs of a token', () => {
  it('are limited over all fronts', async () => {
    const [one, two] = await createQueues()
    const [first, second] = [collect(one, 5), collect(two, 5)]
    await expect.poll(() => first.length + second.length).toBe(MOST)
    await sleep(600)
    expect(first.length + second.length).toBe(MOST)
  })

  // The control of the test above.
  it('are limited by each front alone in fleets of their own', async () => {
    const clock = new TestClock()
    const [engine, other] = await Promise.all([
      openTestEngine(nats.server),
      openTestEngine(nats.server),
    ])
    const first = collect(createQueue(engine, 'one', clock), 5)
    const second = collect(createQueue(other, 'two', clock), 5)
    await expect.poll(() => first.length + second.length).toBe(2 * MOST)
  })

  it('never exceed the limit while all fronts start and end many', async () => {
    const queues = await createQueues()
    let [running, highest, done] = [0, 0, 0]
    const perform = async (queue: FleetQueue) => {
      const slot = await acquire(queue)
      highest = Math.max(highest, ++running)
      await sleep(5 + Math.random() * 20)
      running -= 1
      slot.release()
      done += 1
    }
    await Promise.all(
      queues.flatMap((queue) => Array.from({ length: 40 }, async () => await perform(queue))),
    )
    expect(done).toBe(80)
    expect(highest).toBe(MOST)
  })

  it('of a front that uses all are given to one that waits', async () => {
    const [one, two] = await createQueues()
    const [first, second] = [collect(one, 9), [] as RunSlot[]]
    await expect.poll(() => first.length).toBe(MOST)
    void acquire(two).then((slot) => second.push(slot))
    await expect
      .poll(
        () => {
          first.splice(0, 1)[0]?.release()
          return second.length
        },
        { interval: 300, timeout: 10_000 },
      )
      .toBe(1)
  })

  it('of a front that is gone count until its allotment expires', async () => {
    const clock = new TestClock()
    const [one, two] = await createQueues(clock)
    const first = collect(one, MOST)
    await expect.poll(() => first.length).toBe(MOST)
    const second = collect(two, 1)
    await sleep(600)
    expect(second).toHaveLength(0)
    await one.stop()
    clock.now += 10_001
    await expect.poll(() => second.length, { timeout: 5000 }).toBe(1)
  })

  it('end their wait when the caller is gone', async () => {
    const [one] = await createQueues()
    const slots = collect(one, MOST)
    await expect.poll(() => slots.length).toBe(MOST)
    const leaving = new AbortController()
    const waiting = one.acquire(leaving.signal, 'alice', MOST)
    await sleep(100)
    leaving.abort()
    await expect(waiting).rejects.toMatchObject({ code: 'run/cancelled' })
  })

  it('of other tokens are not limited by them', async () => {
    const [one] = await createQueues()
    collect(one, 5)
    const slot = await acquire(one, 'bob')
    expect(slot.release).toBeTypeOf('function')
  })

  it('of addresses are limited by each front', async () => {
    const engine = await openTestEngine(nats.server)
    const queue = createQueue(engine, 'one', new TestClock())
    await acquire(queue, 'address 192.0.2.1')
    const stored: string[] = []
    for await (const { subject } of engine.list('state', 'k.quota.>')) stored.push(subject)
    expect(stored).toEqual([])
  })

  it('leave nothing in the engine when the fronts stop', async () => {
    const engine = await openTestEngine(nats.server)
    const queue = createQueue(engine, 'one', new TestClock())
    const slot = await acquire(queue)
    slot.release()
    await queue.stop()
    const stored = await engine.last('state', 'k.quota.runs.alice')
    expect(Buffer.from(stored?.body ?? '').toString()).toBe('{"fronts":{}}')
  })
})
