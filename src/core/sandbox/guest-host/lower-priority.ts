import { constants, getPriority, setPriority } from 'node:os'
import type { ControlGroup } from '../cgroups/control-group.ts'

/**
 * By how much a run is nicer than this process if its control group cannot weight it. All of its
 * processes inherit it.
 */
const ADDED_NICENESS = 10

/** Gives other runs the processor first. `init` is the host PID of the first process of the run. */
export function lowerPriority(group: ControlGroup | undefined, init: number | undefined): void {
  try {
    const isWeighted = group?.lowerPriority?.('several') === true
    if (isWeighted || init === undefined) return
    setPriority(init, Math.min(constants.priority.PRIORITY_LOW, getPriority() + ADDED_NICENESS))
  } catch {
    // The process is dead, or belongs to another user, as in a container of an engine.
  }
}
