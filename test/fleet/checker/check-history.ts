import { groupByCall, type StoredCall } from './call-history.ts'
import type { HistoryEntry } from './history.ts'
import { INVARIANTS } from './invariants.ts'

export interface Violation {
  invariant: string
  call: string
  problem: string
}

/** Compares the histories of all processes with the stored fences and ends. */
export function checkHistory(
  entries: readonly HistoryEntry[],
  stored: ReadonlyMap<string, StoredCall>,
): Violation[] {
  return groupByCall(entries, stored).flatMap((call) =>
    INVARIANTS.flatMap(({ name, check }) => {
      const problem = check(call)
      return problem === undefined ? [] : [{ invariant: name, call: call.id, problem }]
    }),
  )
}
