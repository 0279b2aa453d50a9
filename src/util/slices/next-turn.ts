import { waitingSlices } from '../process-state.ts'

/**
 * Longest synchronous slice of work that grows with the data of a caller. A short request of another
 * caller takes several turns of the event loop, each of which may wait for a slice.
 */
export const SLICE_MS = 1

/**
 * Resolves in a later turn of the event loop, in which no other caller of this function resolves:
 * many slices in one turn would delay the requests of others by their sum.
 */
export async function waitForTurn(): Promise<void> {
  await new Promise<void>((resolve) => {
    if (waitingSlices.push(resolve) === 1) setImmediate(startNext)
  })
}

function startNext(): void {
  const start = waitingSlices.shift()
  // Before the slice, whose turn may itself wait for the next one.
  if (waitingSlices.length > 0) setImmediate(startNext)
  start?.()
}
