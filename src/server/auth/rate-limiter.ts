import { SkillsError } from '../../errors.ts'
import type { Caller } from './caller.ts'

/**
 * Limits call rates. The interface is synchronous; a limiter shared by several servers would
 * reserve quota in blocks.
 */
export interface RateLimiter {
  /** Counts a call. Throws `rate/exceeded` above the limit, which a caller can have of its own. */
  count(caller: Pick<Caller, 'account' | 'limits'>): void
  /** Counts calls that were already answered; later ones are refused sooner. */
  charge(account: string | undefined, calls: number): void
  /** Changes the limit. */
  setRate(perSecond: number): void
}

/** Maximum of accounts; remote addresses would otherwise fill the memory. */
const MAX_ACCOUNTS = 10_000

/** Token bucket with a sustained rate of `initialRate` calls per account and bursts of twice that. */
export function makeRateLimiter(
  initialRate: number,
  now: () => number = performance.now.bind(performance),
): RateLimiter {
  const accounts = new Map<string, { left: number; at: number }>()
  let defaultRate = initialRate
  return {
    count({ account, limits }) {
      if (account === undefined) return
      const perSecond = limits?.callsPerSecond ?? defaultRate
      const ms = now()
      const burst = perSecond * 2
      const bucket = accounts.get(account) ?? { left: burst, at: ms }
      // The account that was used last comes last.
      accounts.delete(account)
      const [oldest] = accounts.keys()
      if (accounts.size >= MAX_ACCOUNTS && oldest !== undefined) accounts.delete(oldest)
      const remaining = Math.min(burst, bucket.left + ((ms - bucket.at) / 1000) * perSecond)
      if (remaining < 1) {
        accounts.set(account, { left: remaining, at: ms })
        throw rateExceededError(perSecond, Math.ceil(((1 - remaining) / perSecond) * 1000))
      }
      accounts.set(account, { left: remaining - 1, at: ms })
    },
    charge(account, calls) {
      const bucket = account === undefined ? undefined : accounts.get(account)
      if (bucket) bucket.left = Math.max(-defaultRate, bucket.left - calls)
    },
    setRate: (rate) => void (defaultRate = rate),
  }
}

function rateExceededError(perSecond: number, retryAfterMs: number): SkillsError {
  return new SkillsError('rate/exceeded', `Expected at most ${perSecond} calls a second`, {
    data: { retry_after_ms: retryAfterMs },
  })
}
