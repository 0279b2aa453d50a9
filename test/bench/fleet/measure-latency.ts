import { computePercentiles, type Percentiles } from './percentiles.ts'
import type { StubFront } from './stub-front.ts'
import { waitAsStub } from './stub-worker.ts'

export interface BenchTime {
  /** Milliseconds for each arm. */
  timeMs: number
  signal: AbortSignal
}

/** Latencies of a stub run in milliseconds, on a worker and without the fleet. */
export interface Latency {
  runMs: number
  /** Stub runs of each arm. */
  runs: number
  ratio: Percentiles
  added: Percentiles
  fleet: Percentiles
  local: Percentiles
}

const RUN_MS = 5
const WARM_UP_ROUNDS = 50

/** Performs one run at a time: on a worker, then the same in this process, and so on. */
export async function measureLatency(
  front: StubFront,
  { timeMs, signal }: BenchTime,
): Promise<Latency> {
  const local: number[] = []
  const fleet: number[] = []
  for (let round = 0; round < WARM_UP_ROUNDS && !signal.aborted; round++) {
    await front.perform({ ms: RUN_MS })
    await waitAsStub(RUN_MS)
  }
  const until = performance.now() + 2 * timeMs
  do {
    fleet.push(await measureTime(async () => await front.perform({ ms: RUN_MS })))
    local.push(await measureTime(async () => await waitAsStub(RUN_MS)))
  } while (performance.now() < until && !signal.aborted)
  return summarize(computePercentiles(fleet), computePercentiles(local), fleet.length)
}

function summarize(fleet: Percentiles, local: Percentiles, runs: number): Latency {
  const compare = (operate: (a: number, b: number) => number): Percentiles => ({
    p50: operate(fleet.p50, local.p50),
    p90: operate(fleet.p90, local.p90),
    p99: operate(fleet.p99, local.p99),
  })
  const ratio = compare((a, b) => a / b)
  return { runMs: RUN_MS, runs, ratio, added: compare((a, b) => a - b), fleet, local }
}

async function measureTime(work: () => Promise<void>): Promise<number> {
  const startedAt = performance.now()
  await work()
  return performance.now() - startedAt
}
