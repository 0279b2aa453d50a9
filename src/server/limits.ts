import { availableParallelism } from 'node:os'
import type { Config } from '../core/config/config.ts'
import type { ServerLimits } from './server-context.ts'

/** A slow network sends something in this time; a caller that sends nothing occupies a connection. */
const BODY_TIMEOUT_MS = 30_000
/** A caller that waits for longer is better informed with `run/busy`. */
const DEFAULT_WAITING = 64

/** Resolves the limits of a configuration. Several callers leave room for each other. */
export function resolveLimits(
  { run, serve: config }: Config,
  hasSeveralCallers: boolean,
): ServerLimits {
  // A short run waits about half of its time for the kernel and the disk.
  const running = run.maxConcurrent ?? 2 * Math.max(2, availableParallelism())
  const share = hasSeveralCallers ? Math.ceil(running / 2) : running
  return {
    bodyBytes: config.maxBodyBytes,
    bodyMs: BODY_TIMEOUT_MS,
    running,
    runsPerCaller: Math.min(running, config.runsPerCaller ?? share),
    hasSeveralCallers,
    waiting: run.maxWaiting ?? DEFAULT_WAITING,
    callsPerSecond: config.callsPerSecond,
    quotas: config.quotas,
  }
}
