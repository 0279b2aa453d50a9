import { SLICE_MS, waitForTurn } from './next-turn.ts'

/**
 * Work that grows with the data of a caller. It yields after each short step, and `BEFORE_LONG_STEP`
 * before a step that cannot be divided.
 */
export type Steps<T> = Generator<typeof BEFORE_LONG_STEP | void, T, void>

/** Gives the next step a slice of its own. */
export const BEFORE_LONG_STEP = 'before a long step'

/** Does the work in slices, so that other callers do not wait for it. */
export async function runInSlices<T>(steps: Steps<T>): Promise<T> {
  for (let hasYielded = false; ; hasYielded = true) {
    const end = performance.now() + SLICE_MS
    for (;;) {
      const step = steps.next()
      if (step.done) {
        // The work that follows a long one is long as well, and gets a slice of its own.
        if (hasYielded) await waitForTurn()
        return step.value
      }
      if (step.value === BEFORE_LONG_STEP || performance.now() >= end) break
    }
    await waitForTurn()
  }
}
