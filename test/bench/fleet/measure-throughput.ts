import type { BenchTime } from './measure-latency.ts'
import type { OpenBench } from './open-bench.ts'
import { STUB_PLACES } from './stub-worker.ts'

/** Runs per second of some workers. */
export interface Throughput {
  workers: number
  /** Part of the rate that their places allow. */
  share: number
  runsPerSecond: number
  ideal: number
}

export const THROUGHPUT_RUN_MS = 50
const WORKERS = [1, 2, 4, 8] as const
const CALLERS_PER_PLACE = 1.5
/** The arms alternate, so that a slow second of the machine counts for all. */
const ROUNDS = 3
const WARM_UP_MS = 300

/** Measures different numbers of workers in turn, with more callers than places. */
export async function measureThroughput(
  { front, workers: stubs }: Pick<OpenBench, 'front' | 'workers'>,
  { timeMs, signal }: BenchTime,
): Promise<Throughput[]> {
  const rates = new Map<number, number[]>(WORKERS.map((workers) => [workers, []]))
  for (let round = 0; round < ROUNDS && !signal.aborted; round++) {
    for (const [workers, measured] of rates) {
      await stubs.resize(workers)
      await front.waitForWorkers(workers, signal)
      const callers = workers * STUB_PLACES * CALLERS_PER_PLACE
      const time = { timeMs: timeMs / ROUNDS, signal }
      measured.push(await measureRate(async () => await front.perform(STUB), callers, time))
    }
  }
  return [...rates].map(([workers, measured]) => {
    const ideal = (workers * STUB_PLACES * 1000) / THROUGHPUT_RUN_MS
    const sorted = measured.sort((a, b) => a - b)
    const runsPerSecond = sorted[Math.floor(sorted.length / 2)] ?? 0
    return { workers, share: runsPerSecond / ideal, runsPerSecond, ideal }
  })
}

const STUB = { ms: THROUGHPUT_RUN_MS }

/** Ends of calls per second, of callers that repeat their call, after the first ones have begun. */
async function measureRate(
  perform: () => Promise<void>,
  callers: number,
  { timeMs, signal }: BenchTime,
): Promise<number> {
  const from = performance.now() + WARM_UP_MS
  const until = from + timeMs
  let ended = 0
  const repeat = async () => {
    while (performance.now() < until && !signal.aborted) {
      await perform()
      const now = performance.now()
      if (now >= from && now < until) ended += 1
    }
  }
  await Promise.all(Array.from({ length: callers }, repeat))
  return (ended / timeMs) * 1000
}
