import { availableParallelism } from 'node:os'
import type { Config } from '../core/config/config.ts'
import type { ServerLimits } from './server-context.ts'

/** Resolves the limits of a configuration. Several callers leave room for each other. */
export function resolveLimits(config: Config['serve'], hasSeveralCallers: boolean): ServerLimits {
  // A short run waits about half of its time for the kernel and the disk.
  const running = config.maxRuns ?? 2 * Math.max(2, availableParallelism())
  const share = hasSeveralCallers ? Math.ceil(running / 2) : running
  return {
    bodyBytes: config.maxBodyBytes,
    bodyMs: config.bodyTimeoutMs,
    running,
    runsPerCaller: Math.min(running, config.runsPerCaller ?? share),
    waiting: config.maxWaiting,
    callsPerSecond: config.callsPerSecond,
    quotas: config.quotas,
  }
}
