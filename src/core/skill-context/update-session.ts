import type { RunCaller } from '../runs/run-call.ts'
import { deriveSessionKey } from './session-key.ts'
import type { SessionOwner, SessionState } from './session-state.ts'
import type { SessionStore } from './session-store.ts'

/**
 * Changes a session of a caller. The session's key does not reveal its name, so the state of a new
 * session has it.
 */
export async function updateSession<T>(
  sessions: SessionStore,
  { session, caller }: { session: string; caller: RunCaller | undefined },
  change: (state: SessionState) => Promise<{ state: SessionState; value: T }>,
): Promise<T> {
  return await sessions.update(deriveSessionKey(session, caller?.name), async (before) => {
    const { state, value } = await change(before)
    const isNew = state !== before && state.owner === undefined
    return { state: isNew ? { ...state, owner: describeOwner(session, caller) } : state, value }
  })
}

function describeOwner(session: string, { name, principal, door }: RunCaller = {}): SessionOwner {
  return {
    session,
    ...(name !== undefined && { caller: name }),
    ...(name !== undefined && principal !== undefined && { principal }),
    ...(door !== undefined && { door }),
  }
}

/** True for the local operator, and for the caller that created the session. */
export function isOwnSession(
  owner: SessionOwner | undefined,
  { name, principal = name }: RunCaller = {},
): boolean {
  if (name === undefined) return true
  return owner?.caller === name && (owner.principal ?? owner.caller) === principal
}
