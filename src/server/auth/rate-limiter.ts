import { SkillsError } from '../../errors.ts'

/**
 * Limits call rates. The interface is synchronous; a limiter shared by several servers would
 * reserve quota in blocks.
 */
export interface RateLimiter {
  /** Counts a call. Throws `rate/exceeded` above the limit. */
  count(account: string | undefined): void
  /** Changes the limit. */
  setRate(perSecond: number): void
}

/** Token bucket with a sustained rate of `initialRate` calls per account and bursts of twice that. */
export function makeRateLimiter(
  initialRate: number,
  now: () => number = performance.now.bind(performance),
): RateLimiter {
  const accounts = new Map<string, { left: number; at: number }>()
  let perSecond = initialRate
  return {
    count(account) {
      if (account === undefined) return
      const ms = now()
      const burst = perSecond * 2
      const bucket = accounts.get(account) ?? { left: burst, at: ms }
      const remaining = Math.min(burst, bucket.left + ((ms - bucket.at) / 1000) * perSecond)
      if (remaining < 1) {
        accounts.set(account, { left: remaining, at: ms })
        throw rateExceededError(perSecond, Math.ceil(((1 - remaining) / perSecond) * 1000))
      }
      accounts.set(account, { left: remaining - 1, at: ms })
    },
    setRate: (rate) => void (perSecond = rate),
  }
}

function rateExceededError(perSecond: number, retryAfterMs: number): SkillsError {
  return new SkillsError('rate/exceeded', `Expected at most ${perSecond} calls a second`, {
    data: { retry_after_ms: retryAfterMs },
  })
}
