import { setImmediate } from 'node:timers/promises'

/** Longest synchronous slice. A request takes several turns of the event loop. */
const SLICE_MS = 4

/**
 * Yields to the event loop when a slice of synchronous work has taken its time, so that the work
 * delays no other caller noticeably.
 */
export function startWorkSlices(): () => Promise<void> | undefined {
  let startedAt = performance.now()
  return () => {
    if (performance.now() - startedAt < SLICE_MS) return undefined
    return setImmediate().then(() => {
      startedAt = performance.now()
      return undefined
    })
  }
}
