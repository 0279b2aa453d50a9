import { createHash } from 'node:crypto'
import { invalidParamError } from '../../errors.ts'

/** Characters of the longest name. */
export const MAX_SESSION_NAME = 256

/**
 * Storage key of a session. Different callers get different keys, so they cannot access each
 * other's sessions.
 */
export function deriveSessionKey(session: string, caller: string | undefined): string {
  if (session.trim() === '' || session.length > MAX_SESSION_NAME) {
    const reason = `expected 1 to ${MAX_SESSION_NAME} characters, got ${session.length}`
    throw invalidParamError('session', reason)
  }
  const text = JSON.stringify([caller ?? null, session])
  return createHash('sha256').update(text).digest('hex').slice(0, 40)
}
