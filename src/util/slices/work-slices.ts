import { SLICE_MS, waitForTurn } from './next-turn.ts'

/**
 * Yields to the event loop when a slice of synchronous work has taken its time, so that the work
 * delays no other caller noticeably.
 */
export function startWorkSlices(): () => Promise<void> | undefined {
  let startedAt = performance.now()
  return () => {
    if (performance.now() - startedAt < SLICE_MS) return undefined
    return waitForTurn().then(() => {
      startedAt = performance.now()
      return undefined
    })
  }
}
