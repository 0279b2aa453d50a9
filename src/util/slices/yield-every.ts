import { setImmediate } from 'node:timers/promises'

const CALLS_PER_YIELD = 256

/**
 * Yields to the event loop during a long series of short synchronous calls. One small file system
 * call takes less time than waiting for a worker thread.
 */
export function yieldEvery(): () => Promise<void> | undefined {
  let count = 0
  return () => {
    count += 1
    return count % CALLS_PER_YIELD === 0 ? setImmediate() : undefined
  }
}
