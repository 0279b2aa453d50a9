// A fleet of stub workers on this machine: `npm run bench:fleet [-- latency|throughput|reports]`.
import { startNatsServer } from '../../helpers/fleet/nats-server.ts'
import { measureLatency } from './measure-latency.ts'
import { measureThroughput } from './measure-throughput.ts'
import { openBench, type OpenBench } from './open-bench.ts'
import { measureReports } from './reports.ts'

const TIME = { timeMs: 6000, signal: new AbortController().signal }

/** Measures with an engine of its own. */
async function withBench(measure: (bench: OpenBench) => Promise<object>): Promise<void> {
  const server = await startNatsServer()
  try {
    const bench = await openBench(server.url)
    try {
      await bench.workers.resize(1)
      await bench.front.waitForWorkers(1, TIME.signal)
      console.log(JSON.stringify(await measure(bench), undefined, 2))
    } finally {
      await bench.close()
    }
  } finally {
    await server.close()
  }
}

const ARMS = {
  latency: async () => await withBench(async ({ front }) => await measureLatency(front, TIME)),
  throughput: async () => await withBench(async (bench) => await measureThroughput(bench, TIME)),
  reports: measureReports,
}
const wanted = process.argv[2]
for (const [name, measure] of Object.entries(ARMS)) {
  if (wanted === undefined || wanted === name) await measure()
}
