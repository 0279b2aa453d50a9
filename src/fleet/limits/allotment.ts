import { readNumber } from './update-value.ts'

/** Time after which the runs of a front that is not heard do not count any more. */
export const ALLOTMENT_MS = 10_000

/** Concurrent runs of one account that a front may have. */
interface FrontAllotment {
  n: number
  /** Runs that wait at the front for a larger allotment. */
  wants: number
  /** On the clock of the engine. */
  until: number
}

/** Allotments of one account by front: `k.quota.runs.<account>`. */
export interface StoredAllotments {
  fronts: Record<string, FrontAllotment>
}

/** State of an account at one front. */
export interface FrontDemand {
  front: string
  running: number
  waiting: number
  /** Concurrent runs of the account at all fronts. */
  most: number
}

export interface ComputedAllotment {
  stored: StoredAllotments
  own: FrontAllotment
  /** True if another front waits for runs of this one to end. */
  isContended: boolean
}

/**
 * Computes the allotment that a front writes. All allotments together are at most `most`. A front with more
 * than its share gives the rest up while another one waits and has less.
 */
export function computeAllotment(
  value: object | undefined,
  { front, running, waiting, most }: FrontDemand,
  now: number,
): ComputedAllotment {
  const others = listOthers(value, front, now)
  const taken = others.reduce((sum, [, { n }]) => sum + n, 0)
  const share = Math.floor(most / (others.length + 1))
  const isContended = others.some(([, { n, wants }]) => wants > 0 && n < Math.max(1, share))
  const allowed = Math.min(running + waiting, Math.max(0, most - taken))
  // Runs in progress are not ended.
  const n = Math.max(running, isContended ? Math.min(allowed, share) : allowed)
  const own = { n, wants: Math.max(0, running + waiting - n), until: now + ALLOTMENT_MS }
  const isUsed = own.n + own.wants > 0
  const fronts = Object.fromEntries([...others, ...(isUsed ? [[front, own] as const] : [])])
  return { stored: { fronts }, own, isContended }
}

/** Allotments of other fronts that have not expired, nor end later than any front writes. */
function listOthers(
  value: object | undefined,
  front: string,
  now: number,
): [string, FrontAllotment][] {
  const { fronts } = (value ?? {}) as { fronts?: unknown }
  if (typeof fronts !== 'object' || fronts === null) return []
  return Object.entries(fronts).flatMap(([name, stored]): [string, FrontAllotment][] => {
    if (name === front || typeof stored !== 'object' || stored === null) return []
    const until = Math.min(readNumber(stored, 'until', 0), now + ALLOTMENT_MS)
    if (until <= now) return []
    const n = Math.max(0, readNumber(stored, 'n', 0))
    return [[name, { n, wants: Math.max(0, readNumber(stored, 'wants', 0)), until }]]
  })
}
