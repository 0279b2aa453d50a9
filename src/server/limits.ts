import { availableParallelism } from 'node:os'
import type { Config } from '../core/config/config.ts'
import type { ServerLimits } from './services.ts'

/** What a configuration amounts to. */
export function limitsOf(config: Config['serve']): ServerLimits {
  return {
    bodyBytes: config.maxBodyBytes,
    bodyMs: config.bodyTimeoutMs,
    running: config.maxRuns ?? Math.max(2, availableParallelism()),
    waiting: config.maxWaiting,
    callsPerSecond: config.callsPerSecond,
  }
}
