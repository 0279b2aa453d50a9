import { SkillsError } from '../../errors.ts'

/** Counts calls; a limiter of several servers takes its share in blocks, so that counting never waits. */
export interface RateLimiter {
  /** Counts a call. Throws `rate/exceeded` where it is one too many. */
  count(account: string | undefined): void
}

/** Calls per second that an account may make in the long run; twice that in a burst. */
export function makeRateLimiter(
  perSecond: number,
  now: () => number = performance.now.bind(performance),
): RateLimiter {
  const accounts = new Map<string, { left: number; at: number }>()
  const most = perSecond * 2
  return {
    count(account) {
      if (account === undefined) return
      const at = now()
      const known = accounts.get(account) ?? { left: most, at }
      const left = Math.min(most, known.left + ((at - known.at) / 1000) * perSecond)
      if (left < 1) {
        accounts.set(account, { left, at })
        throw rateExceededError(perSecond, Math.ceil(((1 - left) / perSecond) * 1000))
      }
      accounts.set(account, { left: left - 1, at })
    },
  }
}

function rateExceededError(perSecond: number, retryAfterMs: number): SkillsError {
  return new SkillsError('rate/exceeded', `Expected at most ${perSecond} calls a second`, {
    data: { retry_after_ms: retryAfterMs },
  })
}
