import { SkillsError } from '../../errors.ts'
import { formatBytes, spellDuration } from '../../util/quantity.ts'
import type { Caller } from '../auth/caller.ts'
import type { QuotaResource } from './hourly-quotas.ts'
import { LocalUseCounter, type UseCounter } from './use-counter.ts'

/** Quotas of callers that have none of their own. */
export type DefaultQuotas = Readonly<Partial<Record<QuotaResource, number | undefined>>>

/** Receives what callers use, and refusals. */
export interface UsageObserver {
  onUsed(caller: Caller, resource: QuotaResource, amount: number): void
  onRefused(caller: Caller, resource: QuotaResource): void
}

const HOUR_MS = 3_600_000

const TEXTS: Record<QuotaResource, { name: string; format: (amount: number) => string }> = {
  cpuMs: { name: 'processor time', format: spellDuration },
  blobBytes: { name: 'blobs', format: formatBytes },
  skills: { name: 'uploaded skills', format: String },
}

/**
 * Counts what each caller uses. Use is forgotten evenly over an hour, so a caller that used up its
 * quota gets a part of it back every second. By default, the counts are lost when the server ends.
 */
export class UsageQuotas {
  #defaults: DefaultQuotas
  #observer: UsageObserver
  #counter: UseCounter

  constructor(
    defaults: DefaultQuotas,
    observer: UsageObserver,
    counter: UseCounter = new LocalUseCounter(),
  ) {
    this.#defaults = defaults
    this.#observer = observer
    this.#counter = counter
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
    const { account } = caller
    if (account === undefined || limit === undefined) return
    const used = this.#counter.read({ account, resource, limit })
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
    this.#counter.add({ account, resource, limit }, amount)
  }

  #findLimit({ limits }: Caller, resource: QuotaResource): number | undefined {
    return limits?.quotas[resource] ?? this.#defaults[resource]
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
