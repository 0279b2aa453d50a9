import type { RunRow } from '../../core/methods/list-run-history/definition.ts'

/** Runs that a row of a skill shows. */
const SHOWN = 5

/** The last runs of each skill, by name@version; the newest is the last one. */
export function groupLastRuns(runs: readonly RunRow[]): ReadonlyMap<string, readonly RunRow[]> {
  const groups = new Map<string, RunRow[]>()
  for (const run of runs) {
    const group = groups.get(run.target) ?? []
    if (group.length < SHOWN) groups.set(run.target, [run, ...group])
  }
  return groups
}
