import { SkillsError } from '../errors.ts'
import { sleepWithin, type Deadline } from './deadline.ts'
import { ConnectionError, ProtocolError } from './errors.ts'

export interface RetryPolicy {
  /** Tries after the first one. */
  retries: number
  /** Doing it twice is as good as doing it once. */
  isRead: boolean
  deadline: Deadline
}

const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 5000
const BUSY_CODE = new SkillsError('run/busy', '').outcome.rpc
/** What stands between says it for a runtime that is not there at the moment. */
const TRANSIENT_STATUSES = new Set([429, 502, 503, 504])

/** Tries again where that cannot do anything twice. */
export async function withRetries<T>(policy: RetryPolicy, work: () => Promise<T>): Promise<T> {
  for (let tries = 0; ; tries++) {
    try {
      return await work()
    } catch (error) {
      if (tries >= policy.retries || !isSafeToRepeat(error, policy.isRead)) throw error
      const wait = computeDelay(error, tries)
      if (wait >= policy.deadline.remainingMs) throw error
      await sleepWithin(wait, policy.deadline)
    }
  }
}

/** A runtime that is busy and says for how long has not begun; nor has one that was not reached. */
function isSafeToRepeat(error: unknown, isRead: boolean): boolean {
  if (error instanceof ProtocolError) {
    return error.code === BUSY_CODE && (isRead || error.retryAfterMs !== undefined)
  }
  if (!(error instanceof ConnectionError)) return false
  if (error.isWorthRetrying) return true
  return isRead && (error.problem === 'broken' || TRANSIENT_STATUSES.has(error.httpStatus ?? 0))
}

/** What the runtime asks for, else longer every time; never the same for many at once. */
function computeDelay(error: unknown, tries: number): number {
  const asked = error instanceof ProtocolError ? error.retryAfterMs : undefined
  const wait = asked ?? Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** tries)
  return wait * (1 + Math.random() / 4)
}
