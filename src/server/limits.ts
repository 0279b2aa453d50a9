import { availableParallelism } from 'node:os'
import type { Config } from '../core/config/config.ts'
import type { ServerLimits } from './server-context.ts'

/** Resolves the limits of a configuration. */
export function resolveLimits(config: Config['serve']): ServerLimits {
  return {
    bodyBytes: config.maxBodyBytes,
    bodyMs: config.bodyTimeoutMs,
    // A short run waits about half of its time for the kernel and the disk.
    running: config.maxRuns ?? 2 * Math.max(2, availableParallelism()),
    waiting: config.maxWaiting,
    callsPerSecond: config.callsPerSecond,
  }
}
