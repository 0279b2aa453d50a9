import type { RunChange } from '../../server/console/console-event.ts'

export type ActiveRuns = ReadonlyMap<string, RunChange>

/** Applies changes in their order: a run is active until it ends. */
export function applyRunChanges(runs: ActiveRuns, changes: readonly RunChange[]): ActiveRuns {
  const result = new Map(runs)
  for (const change of changes) {
    if (change.state === 'ended') result.delete(change.run_id)
    else result.set(change.run_id, change)
  }
  return result
}
