import { SkillsError } from '../../errors.ts'
import { formatBytes, spellDuration } from '../../util/quantity.ts'
import type { Caller } from '../auth/caller.ts'
import type { QuotaResource } from './hourly-quotas.ts'

/** Quotas of callers that have none of their own. */
export type DefaultQuotas = Readonly<Partial<Record<QuotaResource, number | undefined>>>

/** Receives what callers use, and refusals. */
export interface UsageObserver {
  onUsed(caller: Caller, resource: QuotaResource, amount: number): void
  onRefused(caller: Caller, resource: QuotaResource): void
}

interface Bucket {
  /** Amount that is not yet given back, at the time `at`. */
  used: number
  at: number
}

const HOUR_MS = 3_600_000
/** Maximum of callers; remote addresses would otherwise fill the memory. */
const MAX_CALLERS = 10_000

const TEXTS: Record<QuotaResource, { name: string; format: (amount: number) => string }> = {
  cpuMs: { name: 'processor time', format: spellDuration },
  blobBytes: { name: 'blobs', format: formatBytes },
  skills: { name: 'uploaded skills', format: String },
}

/**
 * Counts what each caller uses. Use is forgotten evenly over an hour, so a caller that used up its
 * quota gets a part of it back every second. The counts are lost when the server ends.
 */
export class UsageQuotas {
  #defaults: DefaultQuotas
  #observer: UsageObserver
  #now: () => number
  #callers = new Map<string, Map<QuotaResource, Bucket>>()

  constructor(
    defaults: DefaultQuotas,
    observer: UsageObserver,
    now: () => number = () => performance.now(),
  ) {
    this.#defaults = defaults
    this.#observer = observer
    this.#now = now
  }

  /** Changes the quotas of callers that have none of their own. */
  setDefaults(defaults: DefaultQuotas): void {
    this.#defaults = defaults
  }

  /**
   * Throws `quota/exceeded` unless the caller may use the amount. An amount of 0 asks whether
   * anything is left.
   */
  require(caller: Caller, resource: QuotaResource, amount: number): void {
    const limit = this.#findLimit(caller, resource)
    if (caller.account === undefined || limit === undefined) return
    const used = this.#readUse(caller.account, resource, limit)
    // With nothing left, even a run of unknown cost is refused.
    const excess = used + amount - limit
    if (amount === 0 ? excess < 0 : excess <= 0) return
    this.#observer.onRefused(caller, resource)
    if (amount > limit) throw amountExceededError(resource, limit)
    throw quotaExceededError(resource, limit, (excess / limit) * HOUR_MS)
  }

  /** Throws `quota/exceeded` if nothing is left of what a run may use. */
  requireForRun(caller: Caller): void {
    this.require(caller, 'cpuMs', 0)
    this.require(caller, 'blobBytes', 0)
  }

  /** Counts what a caller has used, which may be more than was left. */
  charge(caller: Caller, resource: QuotaResource, amount: number): void {
    if (amount <= 0) return
    this.#observer.onUsed(caller, resource, amount)
    const limit = this.#findLimit(caller, resource)
    const { account } = caller
    if (account === undefined || limit === undefined) return
    const used = this.#readUse(account, resource, limit)
    const buckets = this.#callers.get(account) ?? new Map<QuotaResource, Bucket>()
    buckets.set(resource, { used: used + amount, at: this.#now() })
    // The caller that was charged last comes last.
    this.#callers.delete(account)
    const [oldest] = this.#callers.keys()
    if (this.#callers.size >= MAX_CALLERS && oldest !== undefined) this.#callers.delete(oldest)
    this.#callers.set(account, buckets)
  }

  #findLimit({ limits }: Caller, resource: QuotaResource): number | undefined {
    return limits?.quotas[resource] ?? this.#defaults[resource]
  }

  #readUse(account: string, resource: QuotaResource, limit: number): number {
    const bucket = this.#callers.get(account)?.get(resource)
    if (!bucket) return 0
    return Math.max(0, bucket.used - ((this.#now() - bucket.at) / HOUR_MS) * limit)
  }
}

function quotaExceededError(resource: QuotaResource, limit: number, waitMs: number): SkillsError {
  const { name, format } = TEXTS[resource]
  // A whole second, so that a call of average cost has a chance.
  const retryAfterMs = Math.max(1000, Math.ceil(waitMs))
  return new SkillsError(
    'quota/exceeded',
    `The quota of this caller is used up: ${format(limit)} of ${name} in an hour`,
    {
      hint: `Try again in ${spellDuration(retryAfterMs)}, or ask the operator for a higher quota`,
      data: { resource, limit, retry_after_ms: retryAfterMs },
    },
  )
}

/** No waiting helps. */
function amountExceededError(resource: QuotaResource, limit: number): SkillsError {
  const { name, format } = TEXTS[resource]
  return new SkillsError(
    'quota/exceeded',
    `Expected at most the hourly quota of this caller at once: ${format(limit)} of ${name}`,
    { hint: 'Send less, or ask the operator for a higher quota', data: { resource, limit } },
  )
}
