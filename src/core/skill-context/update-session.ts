import type { RunCall } from '../runs/run-call.ts'
import { deriveSessionKey } from './session-key.ts'
import type { SessionOwner, SessionState } from './session-state.ts'
import type { SessionStore } from './session-store.ts'

/** The caller of a session. */
export type SessionCaller = Pick<RunCall, 'caller' | 'principal' | 'door'>

/**
 * Changes a session of a caller. The session's key does not reveal its name, so the state of a new
 * session has it.
 */
export async function updateSession<T>(
  sessions: SessionStore,
  { session, call }: { session: string; call: SessionCaller },
  change: (state: SessionState) => Promise<{ state: SessionState; value: T }>,
): Promise<T> {
  return await sessions.update(deriveSessionKey(session, call.caller), async (before) => {
    const { state, value } = await change(before)
    const isNew = state !== before && state.owner === undefined
    return { state: isNew ? { ...state, owner: describeOwner(session, call) } : state, value }
  })
}

function describeOwner(session: string, { caller, principal, door }: SessionCaller): SessionOwner {
  return {
    session,
    ...(caller !== undefined && { caller }),
    ...(caller !== undefined && principal !== undefined && { principal }),
    ...(door !== undefined && { door }),
  }
}

/** True for the local operator, and for the caller that created the session. */
export function isOwnSession(
  owner: SessionOwner | undefined,
  { caller, principal = caller }: Pick<RunCall, 'caller' | 'principal'>,
): boolean {
  if (caller === undefined) return true
  return owner?.caller === caller && (owner.principal ?? owner.caller) === principal
}
