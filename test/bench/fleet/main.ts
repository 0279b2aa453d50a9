// A fleet of stub workers on this machine: `npm run bench:fleet [-- latency|throughput|reports]`.
import { measureLatency } from './latency.ts'
import { measureReports } from './reports.ts'
import { measureThroughput } from './throughput.ts'

const ARMS = { latency: measureLatency, throughput: measureThroughput, reports: measureReports }
const wanted = process.argv[2]
for (const [name, measure] of Object.entries(ARMS)) {
  if (wanted === undefined || wanted === name) await measure()
}
