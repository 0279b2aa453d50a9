import type { QuotaResource } from './hourly-quotas.ts'

/** An account, a resource, and the hourly limit at whose rate its use is forgotten. */
export interface CountedUse {
  account: string
  resource: QuotaResource
  limit: number
}

/** Counts what accounts use. Use is forgotten evenly over an hour. */
export interface UseCounter {
  /** Amount that is not forgotten yet. */
  read(use: CountedUse): number
  add(use: CountedUse, amount: number): void
}

interface Bucket {
  /** Amount that is not yet given back, at the time `at`. */
  used: number
  at: number
}

const HOUR_MS = 3_600_000
/** Maximum of accounts; remote addresses would otherwise fill the memory. */
const MAX_ACCOUNTS = 10_000

/** Returns an amount after a part of it was forgotten. */
export function forgetUse(used: number, elapsedMs: number, limit: number): number {
  return Math.max(0, used - (Math.max(0, elapsedMs) / HOUR_MS) * limit)
}

/** Counts in the memory of this process. The counts are lost when it ends. */
export class LocalUseCounter implements UseCounter {
  #now: () => number
  #accounts = new Map<string, Map<QuotaResource, Bucket>>()

  constructor(now: () => number = () => performance.now()) {
    this.#now = now
  }

  read({ account, resource, limit }: CountedUse): number {
    const bucket = this.#accounts.get(account)?.get(resource)
    return bucket ? forgetUse(bucket.used, this.#now() - bucket.at, limit) : 0
  }

  add(use: CountedUse, amount: number): void {
    const { account, resource } = use
    const used = this.read(use)
    const buckets = this.#accounts.get(account) ?? new Map<QuotaResource, Bucket>()
    buckets.set(resource, { used: used + amount, at: this.#now() })
    // The account that was charged last comes last.
    this.#accounts.delete(account)
    const [oldest] = this.#accounts.keys()
    if (this.#accounts.size >= MAX_ACCOUNTS && oldest !== undefined) this.#accounts.delete(oldest)
    this.#accounts.set(account, buckets)
  }
}
