import { setTimeout as sleep } from 'node:timers/promises'
import { FaultedFleet } from '../../fleet/checker/faulted-fleet.ts'
import { summarize } from '../../fleet/checker/summarize.ts'

const WORKERS = 3
const CALLS = 12
/** Longer than a front waits for a silent worker. */
const SILENT_MS = 7500

/** Time until a caller learns that its worker is dead, or silent. */
export async function measureReports(rounds = 3): Promise<void> {
  const fleet = await FaultedFleet.start(WORKERS)
  const times: Record<'killed' | 'silent', number[]> = { killed: [], silent: [] }
  try {
    for (let round = 0; round < rounds; round++) {
      for (const name of ['killed', 'silent'] as const) {
        const since = Date.now()
        const ms = name === 'killed' ? 3000 : SILENT_MS
        const load = fleet.load({ calls: CALLS, ms: [ms, ms] })
        await sleep(300)
        const [worker = ''] = fleet.workers.keys()
        await (name === 'killed' ? fleet.kill(worker) : fleet.pause(worker, SILENT_MS))
        await load
        times[name].push(...summarize(fleet.entries, since).reportedAfterMs)
        await fleet.restoreWorkers(WORKERS)
      }
    }
  } finally {
    await fleet.close()
  }
  console.log('Time from a fault of a worker to the answers of its runs, in s')
  for (const [name, all] of Object.entries(times)) {
    const sorted = all.sort((a, b) => a - b)
    const middle = sorted[Math.floor(sorted.length / 2)] ?? NaN
    const longest = sorted.at(-1) ?? NaN
    const text = `median ${(middle / 1000).toFixed(2)}, longest ${(longest / 1000).toFixed(2)}`
    console.log(`  ${name} worker  ${text} (${sorted.length} runs)`)
  }
}
