import type { Config } from '../../core/config/config.ts'
import type { RateLimiter } from '../../server/auth/rate-limiter.ts'
import { resolveLimits } from '../../server/limits.ts'
import type { UseCounter } from '../../server/quotas/use-counter.ts'
import type { Engine } from '../engine/engine.ts'
import { openFleetLimits } from '../limits/open-limits.ts'
import { FleetQueue } from './fleet-queue.ts'
import type { Workers } from './workers.ts'

/** Limits of callers, which all fronts share. */
export interface FrontLimits {
  runQueue: FleetQueue
  rateLimiter: RateLimiter
  useCounter: UseCounter
  close(): Promise<void>
}

export async function openFrontLimits(
  engine: Engine,
  workers: Workers,
  options: { front: string; config: Config; hasSeveralCallers: boolean },
): Promise<FrontLimits> {
  const { front, config, hasSeveralCallers } = options
  const { waiting, callsPerSecond } = resolveLimits(config, hasSeveralCallers)
  const perCaller = config.serve.runsPerCaller
  const limits = await openFleetLimits(engine, { front, callsPerSecond })
  const { rateLimiter, useCounter, clock } = limits
  const shared = { engine, clock, front }
  const runQueue = new FleetQueue({ waiting, perCaller, hasSeveralCallers, shared })
  workers.onChange(() => runQueue.setCapacity(workers.capacity))
  return {
    runQueue,
    rateLimiter,
    useCounter,
    async close() {
      await runQueue.stop()
      await limits.close()
    },
  }
}
