import { setImmediate } from 'node:timers/promises'

const EVERY = 256

/**
 * Lets others go on now and then during a long row of short calls. Asking the file system for one
 * small thing takes less time than waiting for a thread that asks.
 */
export function breather(): () => Promise<void> | undefined {
  let count = 0
  return () => {
    count += 1
    return count % EVERY === 0 ? setImmediate() : undefined
  }
}
