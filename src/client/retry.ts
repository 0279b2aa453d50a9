import { SkillsError } from '../errors.ts'
import { sleepWithin, type Deadline } from './deadline.ts'
import { ConnectionError, ProtocolError } from './errors.ts'

export interface RetryPolicy {
  /** Number of attempts after the first one. */
  retries: number
  /** True if the call may be repeated safely. */
  isRead: boolean
  deadline: Deadline
}

const FIRST_DELAY_MS = 100
const MAX_DELAY_MS = 5000
const BUSY_CODE = new SkillsError('run/busy', '').outcome.rpc
/** Statuses of proxies and of runtimes that are temporarily unavailable. */
const TRANSIENT_STATUSES = new Set([429, 502, 503, 504])

/** Retries only where a repeated call cannot execute anything twice. */
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

/**
 * True if the runtime did not start the call: it was not reached, or it is busy and reports a
 * delay.
 */
function isSafeToRepeat(error: unknown, isRead: boolean): boolean {
  if (error instanceof ProtocolError) {
    return error.code === BUSY_CODE && (isRead || error.retryAfterMs !== undefined)
  }
  if (!(error instanceof ConnectionError)) return false
  if (error.isWorthRetrying) return true
  return isRead && (error.problem === 'broken' || TRANSIENT_STATUSES.has(error.httpStatus ?? 0))
}

/**
 * The delay that the runtime reports, or exponential backoff. Jitter spreads the retries of many
 * clients.
 */
function computeDelay(error: unknown, tries: number): number {
  const retryAfterMs = error instanceof ProtocolError ? error.retryAfterMs : undefined
  const wait = retryAfterMs ?? Math.min(MAX_DELAY_MS, FIRST_DELAY_MS * 2 ** tries)
  return wait * (1 + Math.random() / 4)
}
