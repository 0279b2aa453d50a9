import { availableParallelism } from 'node:os'
import type { Config } from '../core/config/config.ts'
import type { ServerLimits } from './server-context.ts'

/** What a configuration amounts to. */
export function resolveLimits(config: Config['serve']): ServerLimits {
  return {
    bodyBytes: config.maxBodyBytes,
    bodyMs: config.bodyTimeoutMs,
    // Half of the time of a short run goes by while the kernel and the disk work for it.
    running: config.maxRuns ?? 2 * Math.max(2, availableParallelism()),
    waiting: config.maxWaiting,
    callsPerSecond: config.callsPerSecond,
  }
}
