import type { Caller } from '../../server/auth/caller.ts'
import {
  makeRateLimiter,
  rateExceededError,
  type RateLimiter,
} from '../../server/auth/rate-limiter.ts'
import { isTokenAccount } from './shared-accounts.ts'
import { SharedRates, type SharedRatesOptions } from './shared-rates.ts'

export interface FleetRateLimiterOptions extends SharedRatesOptions {
  callsPerSecond: number
}

/**
 * Limits the rates of tokens over all fronts. Each front limits them for itself, too: it recognizes floods,
 * and is a limit while the engine is away.
 */
export class FleetRateLimiter implements RateLimiter {
  #local: RateLimiter
  #shared: SharedRates
  #defaultRate: number

  constructor(options: FleetRateLimiterOptions) {
    this.#defaultRate = options.callsPerSecond
    this.#local = makeRateLimiter(options.callsPerSecond)
    this.#shared = new SharedRates(options)
  }

  count(caller: Pick<Caller, 'account' | 'limits'>): void {
    this.#local.count(caller)
    const { account } = caller
    if (account === undefined || !isTokenAccount(account)) return
    const perSecond = this.#getRate(caller)
    const waitMs = this.#shared.admit(account, perSecond)
    if (waitMs > 0) throw rateExceededError(perSecond, waitMs)
  }

  charge(caller: Pick<Caller, 'account' | 'limits'>, calls: number): void {
    this.#local.charge(caller, calls)
    const { account } = caller
    if (account === undefined || !isTokenAccount(account)) return
    this.#shared.charge(account, this.#getRate(caller), calls)
  }

  isHeldBack(caller: Pick<Caller, 'account' | 'limits'>): boolean {
    return this.#local.isHeldBack(caller)
  }

  holdBack(caller: Pick<Caller, 'account' | 'limits'>): number {
    return this.#local.holdBack(caller)
  }

  setRate(perSecond: number): void {
    this.#defaultRate = perSecond
    this.#local.setRate(perSecond)
  }

  stop(): void {
    this.#shared.stop()
  }

  #getRate({ limits }: Pick<Caller, 'limits'>): number {
    return limits?.callsPerSecond ?? this.#defaultRate
  }
}
