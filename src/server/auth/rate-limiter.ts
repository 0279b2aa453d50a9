import { SkillsError } from '../../errors.ts'
import type { Caller } from './caller.ts'

/**
 * Limits call rates. The interface is synchronous, so a limiter that several servers share counts in
 * blocks.
 */
export interface RateLimiter {
  /** Counts a call. Throws `rate/exceeded` above the limit, which a caller can have of its own. */
  count(caller: Pick<Caller, 'account' | 'limits'>): void
  /** Counts calls that were already answered; later ones are refused sooner. */
  charge(caller: Pick<Caller, 'account' | 'limits'>, calls: number): void
  /** True if the next request of a caller has to wait, because it ignores refusals. */
  isHeldBack(caller: Pick<Caller, 'account' | 'limits'>): boolean
  /**
   * Reserves the time at which the next request of a caller is read, and returns the milliseconds
   * until then: 0 unless it is held back.
   */
  holdBack(caller: Pick<Caller, 'account' | 'limits'>): number
  /** Changes the limit. */
  setRate(perSecond: number): void
}

/** Maximum of accounts; remote addresses would otherwise fill the memory. */
const MAX_ACCOUNTS = 10_000

/** Refusals of one second that a caller may cause before its requests are held back. */
const MIN_REFUSALS = 50
const MAX_HOLD_MS = 10_000

interface RateAccount {
  /** Calls that are left; less than 0 if calls are owed. */
  left: number
  /** Refusals, of which those of a rate are forgotten each second. */
  refused: number
  /** Time of the last update. */
  at: number
  /** Time at which the next request may be read, for a caller that is held back. */
  nextAt: number
}

/** Token bucket with a sustained rate of `initialRate` calls per account and bursts of twice that. */
export function makeRateLimiter(
  initialRate: number,
  now: () => number = performance.now.bind(performance),
): RateLimiter {
  const accounts = new Map<string, RateAccount>()
  let defaultRate = initialRate
  const getRate = (limits: Caller['limits']) => limits?.callsPerSecond ?? defaultRate
  const findFlood = ({ account, limits }: Pick<Caller, 'account' | 'limits'>) => {
    const bucket = account === undefined ? undefined : accounts.get(account)
    if (!bucket) return undefined
    const [perSecond, ms] = [getRate(limits), now()]
    const refused = bucket.refused - ((ms - bucket.at) / 1000) * perSecond
    const isFlood = refused > Math.max(MIN_REFUSALS, perSecond) || bucket.nextAt > ms
    return isFlood ? { bucket, perSecond, ms } : undefined
  }
  return {
    isHeldBack: (caller) => findFlood(caller) !== undefined,
    holdBack(caller) {
      const flood = findFlood(caller)
      if (!flood) return 0
      const { bucket, perSecond, ms } = flood
      bucket.nextAt = Math.min(Math.max(ms, bucket.nextAt) + 1000 / perSecond, ms + MAX_HOLD_MS)
      return bucket.nextAt - ms
    },
    count({ account, limits }) {
      if (account === undefined) return
      const perSecond = getRate(limits)
      const ms = now()
      const burst = perSecond * 2
      const bucket = accounts.get(account) ?? { left: burst, refused: 0, at: ms, nextAt: 0 }
      // The account that was used last comes last.
      accounts.delete(account)
      const [oldest] = accounts.keys()
      if (accounts.size >= MAX_ACCOUNTS && oldest !== undefined) accounts.delete(oldest)
      const earned = ((ms - bucket.at) / 1000) * perSecond
      const remaining = Math.min(burst, bucket.left + earned)
      const updated = { ...bucket, refused: Math.max(0, bucket.refused - earned), at: ms }
      if (remaining < 1) {
        accounts.set(account, { ...updated, left: remaining, refused: updated.refused + 1 })
        throw rateExceededError(perSecond, Math.ceil(((1 - remaining) / perSecond) * 1000))
      }
      accounts.set(account, { ...updated, left: remaining - 1 })
    },
    charge({ account, limits }, calls) {
      const bucket = account === undefined ? undefined : accounts.get(account)
      if (!bucket) return
      // At most one second of calls are owed.
      bucket.left = Math.max(-getRate(limits), bucket.left - calls)
    },
    setRate: (rate) => void (defaultRate = rate),
  }
}

export function rateExceededError(perSecond: number, retryAfterMs: number): SkillsError {
  return new SkillsError('rate/exceeded', `Expected at most ${perSecond} calls a second`, {
    data: { retry_after_ms: retryAfterMs },
  })
}
