// @module-tag nats-server
import { describe, expect, it } from 'vitest'
import type { Caller } from '../../../src/server/auth/caller.ts'
import { UsageQuotas } from '../../../src/server/quotas/usage-quotas.ts'
import { FleetUseCounter } from '../../../src/fleet/limits/fleet-use-counter.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { connectEngine, openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'

const nats = useNatsServer()
const LIMIT = 1000
const USE = { account: 'alice', resource: 'cpuMs', limit: LIMIT } as const
const ALICE: Caller = { name: 'alice', scopes: new Set(), account: 'alice' }

class TestClock {
  now = 1_000_000
}

async function createCounters(
  clock = new TestClock(),
): Promise<[FleetUseCounter, FleetUseCounter]> {
  const engine = await openTestEngine(nats.server)
  const other = await connectEngine(nats.server, engine.tenant)
  return [new FleetUseCounter(engine, clock), new FleetUseCounter(other, clock)]
}

function createQuotas(counter: FleetUseCounter): UsageQuotas {
  const observer = { onUsed: () => {}, onRefused: () => {} }
  return new UsageQuotas({ cpuMs: LIMIT }, observer, counter)
}

describe('the hourly quota of a token', () => {
  it('is used up by all fronts together', async () => {
    const [one, two] = await createCounters()
    createQuotas(one).charge(ALICE, 'cpuMs', LIMIT)
    await one.flush()
    await two.refresh('alice')
    expect(() => createQuotas(two).requireForRun(ALICE)).toThrow(
      expect.objectContaining({ code: 'quota/exceeded' }),
    )
  })

  // The control of the test above.
  it('is used up by each front alone in fleets of their own', async () => {
    const [[one], [two]] = [await createCounters(), await createCounters()]
    createQuotas(one).charge(ALICE, 'cpuMs', LIMIT)
    await one.flush()
    await two.refresh('alice')
    expect(() => createQuotas(two).requireForRun(ALICE)).not.toThrow()
  })

  it('counts at once what the same front used', async () => {
    const [one] = await createCounters()
    one.add(USE, 400)
    expect(one.read(USE)).toBe(400)
  })

  it('adds what several fronts use at the same time', async () => {
    const [one, two] = await createCounters()
    for (let at = 0; at < 50; at++) for (const each of [one, two]) each.add(USE, 1)
    await Promise.all([one.flush(), two.flush()])
    await one.refresh('alice')
    expect(one.read(USE)).toBe(100)
  })

  it('reaches other fronts with their next calls', async () => {
    const [one, two] = await createCounters()
    one.add(USE, 400)
    await expect.poll(() => two.read(USE), { timeout: 5000 }).toBe(400)
  })

  it('is given back evenly over an hour, at every front', async () => {
    const clock = new TestClock()
    const [one, two] = await createCounters(clock)
    one.add(USE, 600)
    await one.flush()
    await two.refresh('alice')
    clock.now += 1_800_000
    expect([one.read(USE), two.read(USE)]).toEqual([100, 100])
  })

  it('is separate for each resource and token', async () => {
    const [one] = await createCounters()
    one.add(USE, 400)
    await one.flush()
    expect(one.read({ ...USE, resource: 'blobBytes' })).toBe(0)
    expect(one.read({ ...USE, account: 'bob' })).toBe(0)
  })

  it('of an address is counted by each front, and stores nothing', async () => {
    const engine = await openTestEngine(nats.server)
    const counter = new FleetUseCounter(engine, new TestClock())
    const use = { ...USE, account: 'address 192.0.2.1' }
    counter.add(use, 400)
    await counter.flush()
    expect(counter.read(use)).toBeCloseTo(400, 0)
    const stored: string[] = []
    for await (const { subject } of engine.list('state', 'k.quota.>')) stored.push(subject)
    expect(stored).toEqual([])
  })

  it('counts what could not be stored while the engine was away', async () => {
    const engine = await openTestEngine(nats.server)
    let isAway = true
    const flaky = new Proxy(engine, {
      get(target, name) {
        if (name !== 'replace' || !isAway) return Reflect.get(target, name).bind?.(target)
        return async () => await Promise.reject(new Error('away'))
      },
    }) as Engine
    const counter = new FleetUseCounter(flaky, new TestClock())
    counter.add(USE, 400)
    await counter.flush()
    expect(counter.read(USE)).toBe(400)
    isAway = false
    counter.add(USE, 1)
    await counter.flush()
    const stored = JSON.parse(
      Buffer.from((await engine.last('state', 'k.quota.use.alice'))?.body ?? '').toString(),
    ) as unknown
    expect(stored).toMatchObject({ cpuMs: { used: 401 } })
  })

  it.each(['', '[]', '{"cpuMs":1}', '{"cpuMs":{"used":-1e9}}', '{"cpuMs":{"used":"x","at":9e15}}'])(
    'ignores damaged counts, such as %j',
    async (body) => {
      const engine = await openTestEngine(nats.server)
      await engine.append('state', 'k.quota.use.alice', body)
      const counter = new FleetUseCounter(engine, new TestClock())
      counter.add(USE, 400)
      await counter.flush()
      expect(counter.read(USE)).toBe(400)
    },
  )
})
