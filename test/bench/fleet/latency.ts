import { setTimeout as sleep } from 'node:timers/promises'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { FaultedFleet } from '../../fleet/checker/faulted-fleet.ts'
import { computePercentiles, formatPercentiles, type Percentiles } from './percentiles.ts'

const RUN_MS = 5
const WARM_UP = 50

/** Compares a run on a worker with the same run in this process, one call at a time. */
export async function measureLatency(rounds = 400): Promise<void> {
  const fleet = await FaultedFleet.start(1)
  const arms = {
    local: async () => {
      await sleep(RUN_MS)
    },
    fleet: async () => {
      const call = { env: {}, cwd: '/', runId: createRunId(), caller: 'bench' }
      await fleet.front.perform(call, { ms: RUN_MS })
    },
  }
  const times: Record<keyof typeof arms, number[]> = { local: [], fleet: [] }
  try {
    for (let round = 0; round < rounds + WARM_UP; round++) {
      for (const name of ['local', 'fleet'] as const) {
        const startedAt = performance.now()
        await arms[name]()
        if (round >= WARM_UP) times[name].push(performance.now() - startedAt)
      }
    }
  } finally {
    await fleet.close()
  }
  print(computePercentiles(times.local), computePercentiles(times.fleet))
}

function print(local: Percentiles, fleet: Percentiles): void {
  const added = {
    p50: fleet.p50 - local.p50,
    p90: fleet.p90 - local.p90,
    p99: fleet.p99 - local.p99,
  }
  console.log(`A run of ${RUN_MS} ms, p50 / p90 / p99 in ms`)
  console.log(`  in this process  ${formatPercentiles(local)}`)
  console.log(`  on a worker      ${formatPercentiles(fleet)}`)
  console.log(`  added            ${formatPercentiles(added)}`)
  console.log(`  ratio at p50     ${(fleet.p50 / local.p50).toFixed(2)}`)
}
