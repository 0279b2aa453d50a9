import type { Engine } from '../engine/engine.ts'
import { EngineTime } from './engine-time.ts'
import { FleetRateLimiter } from './fleet-rate-limiter.ts'
import { FleetUseCounter } from './fleet-use-counter.ts'
import { OtherFronts } from './other-fronts.ts'

/** Limits of callers that a front shares with the other fronts. */
export interface FleetLimits {
  rateLimiter: FleetRateLimiter
  useCounter: FleetUseCounter
  clock: EngineTime
  close(): Promise<void>
}

export async function openFleetLimits(
  engine: Engine,
  { front, callsPerSecond }: { front: string; callsPerSecond: number },
): Promise<FleetLimits> {
  const clock = new EngineTime(engine)
  await clock.sync()
  const others = new OtherFronts(engine, front)
  const rateLimiter = new FleetRateLimiter({
    engine,
    clock,
    callsPerSecond,
    isAlone: () => others.isEmpty,
  })
  const useCounter = new FleetUseCounter(engine, clock)
  return {
    rateLimiter,
    useCounter,
    clock,
    async close() {
      rateLimiter.stop()
      others.stop()
      clock.stop()
      await useCounter.flush()
    },
  }
}
