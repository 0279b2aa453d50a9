import { describe, expect, it } from 'vitest'
import { makeRateLimiter } from '../../src/server/auth/rate-limiter.ts'

const DEFAULT_RATE = 50

function createLimiter() {
  const clock = { ms: 0 }
  const limiter = makeRateLimiter(DEFAULT_RATE, () => clock.ms)
  /** Counts calls until one is refused. */
  const countUntilRefused = (caller: Parameters<typeof limiter.count>[0]) => {
    for (let calls = 0; ; calls++) {
      try {
        limiter.count(caller)
      } catch {
        return calls
      }
    }
  }
  const refuse = (caller: Parameters<typeof limiter.count>[0], times: number) => {
    for (let at = 0; at < times; at++) expect(() => limiter.count(caller)).toThrow('calls a second')
  }
  return { limiter, countUntilRefused, refuse, wait: (ms: number) => void (clock.ms += ms) }
}

const withRate = (callsPerSecond?: number) => ({
  account: `rate ${callsPerSecond}`,
  limits: { quotas: {}, callsPerSecond },
})

describe('the rate limiter', () => {
  it.each([
    { name: 'without a rate of its own', rate: undefined, expected: DEFAULT_RATE },
    { name: 'with a higher rate', rate: 500, expected: 500 },
    { name: 'with a lower rate', rate: 2, expected: 2 },
  ])('lets a caller $name owe the calls of one second', ({ rate, expected }) => {
    const { limiter, countUntilRefused, wait } = createLimiter()
    const caller = withRate(rate)
    expect(countUntilRefused(caller)).toBe(2 * expected)
    limiter.charge(caller, 1_000_000)
    wait(990)
    expect(countUntilRefused(caller)).toBe(0)
    wait(1010)
    expect(countUntilRefused(caller)).toBe(expected)
  })

  it('holds back the requests of a caller that ignores refusals, at its rate', () => {
    const { limiter, countUntilRefused, refuse, wait } = createLimiter()
    const [flood, other] = [withRate(100), withRate(200)]
    countUntilRefused(flood)
    countUntilRefused(other)
    refuse(flood, 99)
    // A few refusals hold nothing back.
    expect([limiter.isHeldBack(flood), limiter.holdBack(flood)]).toEqual([false, 0])
    refuse(flood, 1)
    expect(limiter.isHeldBack(flood)).toBe(true)
    expect([1, 2, 3].map(() => limiter.holdBack(flood))).toEqual([10, 20, 30])
    expect([limiter.isHeldBack(other), limiter.holdBack(other)]).toEqual([false, 0])
    // Its requests wait as long as earlier ones do, and no longer than that.
    wait(29)
    expect(limiter.holdBack(flood)).toBe(11)
    wait(2000)
    expect([limiter.isHeldBack(flood), limiter.holdBack(flood)]).toEqual([false, 0])
  })

  it('holds no request back for longer than ten seconds', () => {
    const { limiter, countUntilRefused, refuse } = createLimiter()
    const caller = withRate(1)
    countUntilRefused(caller)
    refuse(caller, 50)
    const waits = Array.from({ length: 30 }, () => limiter.holdBack(caller))
    expect(Math.max(...waits)).toBe(10_000)
  })

  it('holds no caller without an account back', () => {
    const { limiter } = createLimiter()
    expect(limiter.holdBack({ account: undefined })).toBe(0)
    expect(limiter.isHeldBack({ account: 'unknown' })).toBe(false)
  })
})
