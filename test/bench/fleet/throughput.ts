import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { FaultedFleet } from '../../fleet/checker/faulted-fleet.ts'

const WORKERS = [1, 2, 4, 8] as const
const PLACES = 4
const CALLERS_PER_PLACE = 1.5
const RUN_MS = 50
const MEASURED_MS = 2000

/** Runs per second with different numbers of workers, as a share of what their places allow. */
export async function measureThroughput(rounds = 3): Promise<void> {
  const arms: { workers: number; fleet: FaultedFleet; shares: number[] }[] = []
  try {
    for (const workers of WORKERS)
      arms.push({ workers, fleet: await FaultedFleet.start(workers), shares: [] })
    for (let round = 0; round <= rounds; round++) {
      for (const { workers, fleet, shares } of arms) {
        const perSecond = await measure(fleet, workers * PLACES * CALLERS_PER_PLACE)
        // The first round warms up.
        if (round > 0) shares.push(perSecond / ((workers * PLACES * 1000) / RUN_MS))
      }
    }
  } finally {
    await Promise.all(arms.map(async ({ fleet }) => await fleet.close()))
  }
  console.log(`Runs of ${RUN_MS} ms, ${PLACES} places a worker, share of the ideal rate`)
  for (const { workers, shares } of arms) {
    const median = shares.sort((a, b) => a - b)[Math.floor(shares.length / 2)] ?? NaN
    const rate = (median * workers * PLACES * 1000) / RUN_MS
    console.log(`  ${workers} workers  ${(median * 100).toFixed(0)} %  ${rate.toFixed(0)} runs/s`)
  }
}

/** Runs per second of callers, each of which repeats its call. */
async function measure({ front }: FaultedFleet, callers: number): Promise<number> {
  const startedAt = performance.now()
  const until = startedAt + MEASURED_MS
  let runs = 0
  const repeat = async () => {
    while (performance.now() < until) {
      const call = { env: {}, cwd: '/', runId: createRunId(), caller: 'bench' }
      await front.perform(call, { ms: RUN_MS })
      runs += 1
    }
  }
  await Promise.all(Array.from({ length: callers }, repeat))
  return (runs / (performance.now() - startedAt)) * 1000
}
