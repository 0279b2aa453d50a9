import { setImmediate } from 'node:timers/promises'

/** Work that grows with the data of a caller. It yields after each short step. */
export type Steps<T> = Generator<void, T, void>

/** Time without a yield to the event loop. */
const SLICE_MS = 4

/** Does the work in slices, so that other callers do not wait for it. */
export async function runInSlices<T>(steps: Steps<T>): Promise<T> {
  for (;;) {
    const end = performance.now() + SLICE_MS
    do {
      const step = steps.next()
      if (step.done) return step.value
    } while (performance.now() < end)
    await setImmediate()
  }
}
