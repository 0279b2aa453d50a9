// @module-tag nats-server
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { FleetRateLimiter } from '../../../src/fleet/limits/fleet-rate-limiter.ts'
import { computeBlock } from '../../../src/fleet/limits/shared-rates.ts'
import { connectEngine, openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'

const nats = useNatsServer()
const RATE = 40
const FRONTS = 3

/** A clock that a test moves, so that no calls are earned meanwhile. */
class TestClock {
  now = 1_000_000
}

function createLimiter(engine: Engine, clock: TestClock, isAlone = false): FleetRateLimiter {
  const limiter = new FleetRateLimiter({
    engine,
    clock,
    callsPerSecond: RATE,
    isAlone: () => isAlone,
  })
  onTestFinished(() => limiter.stop())
  return limiter
}

async function createLimiters(clock: TestClock): Promise<FleetRateLimiter[]> {
  const first = await openTestEngine(nats.server)
  const others = Array.from({ length: FRONTS - 1 }, () => connectEngine(nats.server, first.tenant))
  return [first, ...(await Promise.all(others))].map((engine) => createLimiter(engine, clock))
}

/** Number of calls that are admitted of many. */
function countAdmitted(limiter: FleetRateLimiter, account: string, calls: number): number {
  let admitted = 0
  for (let at = 0; at < calls; at++) {
    try {
      limiter.count({ account })
      admitted += 1
    } catch {
      // Refused.
    }
  }
  return admitted
}

/** Calls of all fronts until none of them admits any more. */
async function exhaust(limiters: readonly FleetRateLimiter[], account: string): Promise<number> {
  let admitted = 0
  // Several settlements: a front that is not settled yet admits nothing, too.
  for (let idle = 0; idle < 15; idle++) {
    const now = limiters.reduce((sum, each) => sum + countAdmitted(each, account, RATE), 0)
    if (now > 0) idle = -1
    admitted += now
    await sleep(30)
  }
  return admitted
}

describe('the rate of a token', () => {
  it('is that of all fronts together, but for one block of each', async () => {
    const clock = new TestClock()
    const limiters = await createLimiters(clock)
    const burst = RATE * 2
    const admitted = await exhaust(limiters, 'alice')
    expect(admitted).toBeGreaterThanOrEqual(burst)
    expect(admitted).toBeLessThanOrEqual(burst + FRONTS * computeBlock(RATE))
  })

  // The control of the test above.
  it('is that of each front if they share no engine', async () => {
    const clock = new TestClock()
    const engines = await Promise.all([1, 2, 3].map(async () => await openTestEngine(nats.server)))
    const limiters = engines.map((engine) => createLimiter(engine, clock))
    expect(await exhaust(limiters, 'alice')).toBeGreaterThanOrEqual(FRONTS * RATE * 2)
  })

  it('is earned again with the time, by any front', { tags: ['slow'] }, async () => {
    const clock = new TestClock()
    const limiters = await createLimiters(clock)
    await exhaust(limiters, 'alice')
    clock.now += 2000
    const admitted = await exhaust(limiters.slice(1), 'alice')
    expect(admitted).toBeGreaterThanOrEqual(RATE * 2 - FRONTS * computeBlock(RATE))
    expect(admitted).toBeLessThanOrEqual(RATE * 2 + FRONTS * computeBlock(RATE))
  })

  it('is not that of other tokens', async () => {
    const limiters = await createLimiters(new TestClock())
    await exhaust(limiters, 'alice')
    expect(countAdmitted(limiters[0] as FleetRateLimiter, 'bob', 1)).toBe(1)
  })

  it('counts calls that are charged later', async () => {
    const clock = new TestClock()
    const [one, two] = (await createLimiters(clock)) as [FleetRateLimiter, FleetRateLimiter]
    one.count({ account: 'alice' })
    one.charge({ account: 'alice' }, RATE)
    one.charge({ account: 'alice' }, RATE)
    await sleep(200)
    expect(await exhaust([two], 'alice')).toBeLessThanOrEqual(RATE / 2)
  })

  it('admits a whole burst at a front that is alone', async () => {
    const limiter = createLimiter(await openTestEngine(nats.server), new TestClock(), true)
    countAdmitted(limiter, 'alice', 1)
    await sleep(200)
    expect(countAdmitted(limiter, 'alice', RATE * 2)).toBe(RATE * 2 - 1)
  })

  it('has the message and the time of one server', async () => {
    const limiter = createLimiter(await openTestEngine(nats.server), new TestClock())
    countAdmitted(limiter, 'alice', computeBlock(RATE))
    expect(() => limiter.count({ account: 'alice' })).toThrow(
      expect.objectContaining({
        code: 'rate/exceeded',
        data: { retry_after_ms: expect.any(Number) },
      }),
    )
  })

  it('is refused for its own limit, not for that of the fleet', async () => {
    const limiter = createLimiter(await openTestEngine(nats.server), new TestClock())
    const caller = { account: 'alice', limits: { quotas: {}, callsPerSecond: 2 } }
    limiter.count(caller)
    expect(() => limiter.count(caller)).toThrow('Expected at most 2 calls a second')
  })
})

describe('the rate of an address', () => {
  it('is counted by each front, and stores nothing', async () => {
    const clock = new TestClock()
    const engine = await openTestEngine(nats.server)
    const limiter = createLimiter(engine, clock)
    expect(countAdmitted(limiter, 'address 192.0.2.1', RATE * 3)).toBe(RATE * 2)
    await sleep(200)
    const stored: string[] = []
    for await (const { subject } of engine.list('state', 'k.quota.>')) stored.push(subject)
    expect(stored).toEqual([])
  })
})

describe('a stored rate', () => {
  it.each(['', '[]', '{"left":"x"}', '{"left":5,"at":9e15}', '{"left":null}'])(
    'that is damaged, as %j, does not stop an account for long',
    { tags: ['slow'] },
    async (body) => {
      const clock = new TestClock()
      const engine = await openTestEngine(nats.server)
      await engine.append('state', 'k.quota.rate.alice', body)
      const limiter = createLimiter(engine, clock)
      await exhaust([limiter], 'alice')
      clock.now += 3000
      expect(await exhaust([limiter], 'alice')).toBeGreaterThan(RATE / 2)
    },
  )
})
