import { setImmediate } from 'node:timers/promises'

const CALLS_PER_YIELD = 256

/**
 * Lets others go on now and then during a long row of short calls. Asking the file system for one
 * small thing takes less time than waiting for a thread that asks.
 */
export function yieldEvery(): () => Promise<void> | undefined {
  let count = 0
  return () => {
    count += 1
    return count % CALLS_PER_YIELD === 0 ? setImmediate() : undefined
  }
}
