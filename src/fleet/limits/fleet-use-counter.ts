import {
  forgetUse,
  LocalUseCounter,
  type CountedUse,
  type UseCounter,
} from '../../server/quotas/use-counter.ts'
import type { QuotaResource } from '../../server/quotas/hourly-quotas.ts'
import type { Engine } from '../engine/engine.ts'
import { decodeMessage } from '../messages/encoding.ts'
import type { SharedClock } from './engine-time.ts'
import { isTokenAccount, nameLimit } from './shared-accounts.ts'
import { readNumber, updateValue } from './update-value.ts'

/** Time in which amounts are collected before they are stored. */
const STORE_MS = 100
/** Age of the counts after which a read asks the engine for newer ones. */
const FRESH_MS = 1000
const MAX_ACCOUNTS = 10_000

/** Amounts of an account by resource, and the limits at whose rates they are forgotten. */
type Amounts = Map<QuotaResource, { amount: number; limit: number }>

interface UsedAmount {
  used: number
  at: number
}

interface UseAccount {
  /** As the engine has it. */
  known: Map<QuotaResource, UsedAmount>
  readAt: number
  reading: Promise<void> | undefined
  /** Amounts that the engine does not have yet. */
  pending: Amounts
  storing: Promise<void> | undefined
}

/**
 * Counts what tokens use over all fronts: `k.quota.use.<account>`. A front decides by counts that are at
 * most a second old, or one engine round trip for the first call after a pause. So the fronts together
 * admit at most as much too much as each of them starts in that time.
 */
export class FleetUseCounter implements UseCounter {
  #engine: Engine
  #clock: SharedClock
  #local = new LocalUseCounter()
  #accounts = new Map<string, UseAccount>()

  constructor(engine: Engine, clock: SharedClock) {
    this.#engine = engine
    this.#clock = clock
  }

  read(use: CountedUse): number {
    const { account: name, resource, limit } = use
    if (!isTokenAccount(name)) return this.#local.read(use)
    const account = this.#open(name)
    if (performance.now() - account.readAt > FRESH_MS) void this.refresh(name)
    const known = account.known.get(resource)
    const used = known ? forgetUse(known.used, this.#clock.now - known.at, limit) : 0
    return used + (account.pending.get(resource)?.amount ?? 0)
  }

  add(use: CountedUse, amount: number): void {
    const { account: name, resource, limit } = use
    if (!isTokenAccount(name)) return this.#local.add(use, amount)
    const account = this.#open(name)
    addAmount(account.pending, resource, { amount, limit })
    account.storing ??= this.#storeSoon(name, account)
  }

  /** Reads the counts of an account from the engine. */
  async refresh(name: string): Promise<void> {
    const account = this.#open(name)
    account.reading ??= this.#read(name, account).finally(() => (account.reading = undefined))
    await account.reading
  }

  /** Stores what is not stored yet. */
  async flush(): Promise<void> {
    const all = [...this.#accounts].map(async ([name, account]) => await this.#store(name, account))
    await Promise.all(all)
  }

  #open(name: string): UseAccount {
    const account = this.#accounts.get(name) ?? {
      known: new Map(),
      readAt: -Infinity,
      reading: undefined,
      pending: new Map(),
      storing: undefined,
    }
    // The account that was used last comes last.
    this.#accounts.delete(name)
    this.#accounts.set(name, account)
    const [oldest] = this.#accounts.keys()
    if (this.#accounts.size > MAX_ACCOUNTS && oldest !== undefined) this.#accounts.delete(oldest)
    return account
  }

  async #read(name: string, account: UseAccount): Promise<void> {
    account.readAt = performance.now()
    const stored = await this.#engine.last('state', nameLimit('use', name)).catch(() => undefined)
    if (stored) account.known = parseAmounts(decodeMessage(stored.body), this.#clock.now)
  }

  async #storeSoon(name: string, account: UseAccount): Promise<void> {
    await new Promise<void>((done) => void setTimeout(done, STORE_MS).unref())
    account.storing = undefined
    await this.#store(name, account)
  }

  async #store(name: string, account: UseAccount): Promise<void> {
    const { pending } = account
    if (pending.size === 0) return
    account.pending = new Map()
    // A read must not miss them meanwhile.
    const before = account.known
    account.known = addToKnown(before, pending, this.#clock.now)
    try {
      const value = await updateValue(this.#engine, nameLimit('use', name), (stored) =>
        Object.fromEntries(
          addToKnown(parseAmounts(stored, this.#clock.now), pending, this.#clock.now),
        ),
      )
      account.known = parseAmounts(value, this.#clock.now)
      account.readAt = performance.now()
    } catch {
      // The engine is away: they are stored with the next amount.
      account.known = before
      for (const [resource, each] of pending) addAmount(account.pending, resource, each)
    }
  }
}

function addAmount(
  amounts: Amounts,
  resource: QuotaResource,
  { amount, limit }: { amount: number; limit: number },
): void {
  amounts.set(resource, { amount: (amounts.get(resource)?.amount ?? 0) + amount, limit })
}

function addToKnown(
  known: ReadonlyMap<QuotaResource, UsedAmount>,
  added: Amounts,
  now: number,
): Map<QuotaResource, UsedAmount> {
  const sum = new Map(known)
  for (const [resource, { amount, limit }] of added) {
    const { used, at } = known.get(resource) ?? { used: 0, at: now }
    sum.set(resource, {
      used: forgetUse(used, now - at, limit) + amount,
      at: Math.max(at, now),
    })
  }
  return sum
}

const RESOURCES: readonly QuotaResource[] = ['cpuMs', 'blobBytes', 'skills']

/** A time in the future is that of a damaged value: nothing would be forgotten until then. */
function parseAmounts(value: object | undefined, now: number): Map<QuotaResource, UsedAmount> {
  const amounts = new Map<QuotaResource, UsedAmount>()
  for (const resource of RESOURCES) {
    const stored = (value as { [name: string]: unknown } | undefined)?.[resource]
    if (typeof stored !== 'object' || stored === null) continue
    const used = Math.max(0, readNumber(stored, 'used', 0))
    amounts.set(resource, { used, at: Math.min(readNumber(stored, 'at', now), now + 1000) })
  }
  return amounts
}
