import { setImmediate } from 'node:timers/promises'

const CALLS_PER_YIELD = 256
/** Some calls take longer, such as those that read a record with large arguments. */
const MS_PER_YIELD = 5

/**
 * Yields to the event loop during a long series of short synchronous calls. One small file system
 * call takes less time than waiting for a worker thread.
 */
export function yieldEvery(): () => Promise<void> | undefined {
  let [count, end] = [0, performance.now() + MS_PER_YIELD]
  const rest = async () => {
    await setImmediate()
    end = performance.now() + MS_PER_YIELD
  }
  return () => {
    count += 1
    return count % CALLS_PER_YIELD === 0 || performance.now() > end ? rest() : undefined
  }
}
