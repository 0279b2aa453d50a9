import type { SessionOwner } from '../../skill-context/session-state.ts'
import type { SessionListing } from '../../skill-context/session-store.ts'

/** Describes a session by its owner. */
export function describeSessionOwner(
  { key, changedAt }: SessionListing,
  owner: SessionOwner | undefined,
) {
  return {
    id: key,
    session: owner?.session ?? null,
    caller: owner?.caller ?? null,
    entry_point: owner?.door ?? null,
    changed_at: new Date(changedAt).toISOString(),
  }
}
