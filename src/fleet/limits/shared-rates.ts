import type { Engine } from '../engine/engine.ts'
import type { SharedClock } from './engine-time.ts'
import { nameLimit } from './shared-accounts.ts'
import { readNumber, updateValue } from './update-value.ts'

/** Time of a rate that a front admits before it settles with the engine. */
const BLOCK_MS = 250
/** A front with fewer calls than half of a block settles after this time. */
const SETTLE_MS = 100
const MAX_ACCOUNTS = 10_000

export interface SharedRatesOptions {
  engine: Engine
  clock: SharedClock
  /** True if this is the only front. */
  isAlone: () => boolean
}

/** Calls that are left of a rate, at the time `at` of the engine's clock. */
interface SharedBucket {
  left: number
  at: number
}

interface SharedRateAccount {
  perSecond: number
  /** Calls that the engine does not have yet. */
  unsettled: number
  /** As this front wrote it last. Other fronts may have taken more since. */
  known: SharedBucket | undefined
  isSettling: boolean
  timer: NodeJS.Timeout | undefined
}

/**
 * Rates of accounts over all fronts, with bursts of twice a rate: `k.quota.rate.<account>`. A front admits
 * calls in memory, and settles them with the engine. Fronts together admit at most one block of each more
 * than the rate allows. A front that is alone admits whole bursts.
 */
export class SharedRates {
  #options: SharedRatesOptions
  #accounts = new Map<string, SharedRateAccount>()

  constructor(options: SharedRatesOptions) {
    this.#options = options
  }

  /** Counts a call. Returns the milliseconds until it may be repeated; 0 if it is admitted. */
  admit(name: string, perSecond: number): number {
    // No run can begin while the engine is away.
    if (!this.#options.engine.health.isAnswering) return 0
    const account = this.#open(name, perSecond)
    const missing = account.unsettled + 1 - this.#computeAllowance(account)
    if (missing > 0) {
      this.#settleSoon(name, account)
      return Math.max(1, Math.ceil((missing / perSecond) * 1000))
    }
    account.unsettled += 1
    this.#settleSoon(name, account)
    return 0
  }

  /** Counts calls that were answered already. At most one second of calls are owed. */
  charge(name: string, perSecond: number, calls: number): void {
    const account = this.#open(name, perSecond)
    account.unsettled = Math.min(account.unsettled + calls, perSecond * 2)
    this.#settleSoon(name, account)
  }

  stop(): void {
    for (const { timer } of this.#accounts.values()) clearTimeout(timer)
  }

  #open(name: string, perSecond: number): SharedRateAccount {
    const account = this.#accounts.get(name) ?? {
      perSecond,
      unsettled: 0,
      known: undefined,
      isSettling: false,
      timer: undefined,
    }
    account.perSecond = perSecond
    // The account that was used last comes last.
    this.#accounts.delete(name)
    this.#accounts.set(name, account)
    const [oldest] = this.#accounts.keys()
    if (this.#accounts.size > MAX_ACCOUNTS && oldest !== undefined) this.#accounts.delete(oldest)
    return account
  }

  /** Unsettled calls that this front may have. */
  #computeAllowance({ perSecond, known }: SharedRateAccount): number {
    const block = computeBlock(perSecond)
    if (!known) return block
    const left = refill(known, perSecond, this.#options.clock.now)
    return this.#options.isAlone() ? left : Math.min(block, left)
  }

  #settleSoon(name: string, account: SharedRateAccount): void {
    if (account.isSettling || account.unsettled === 0) return
    if (account.unsettled >= computeBlock(account.perSecond) / 2) {
      clearTimeout(account.timer)
      account.timer = undefined
      void this.#settle(name, account)
      return
    }
    account.timer ??= setTimeout(() => {
      account.timer = undefined
      if (!account.isSettling) void this.#settle(name, account)
    }, SETTLE_MS).unref()
  }

  async #settle(name: string, account: SharedRateAccount): Promise<void> {
    const { engine, clock } = this.#options
    const { perSecond, unsettled } = account
    account.isSettling = true
    try {
      account.known = await updateValue(engine, nameLimit('rate', name), (value) => {
        const before = parseBucket(value, perSecond, clock.now)
        const left = refill(before, perSecond, clock.now) - unsettled
        return { left, at: Math.max(before.at, clock.now) }
      })
      account.unsettled -= unsettled
    } catch {
      // They stay unsettled; the engine is asked again with the next call.
    } finally {
      account.isSettling = false
    }
    if (engine.health.isAnswering) this.#settleSoon(name, account)
  }
}

/** Largest number of calls that one front admits beyond the rate. */
export function computeBlock(perSecond: number): number {
  return Math.max(1, (perSecond * BLOCK_MS) / 1000)
}

function refill({ left, at }: SharedBucket, perSecond: number, now: number): number {
  return Math.min(perSecond * 2, left + (Math.max(0, now - at) / 1000) * perSecond)
}

/** A time in the future is that of a damaged value: the account would earn nothing until then. */
function parseBucket(value: object | undefined, perSecond: number, now: number): SharedBucket {
  return {
    left: readNumber(value, 'left', perSecond * 2),
    at: Math.min(readNumber(value, 'at', now), now + 1000),
  }
}
