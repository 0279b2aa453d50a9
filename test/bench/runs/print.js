// Benchmark arms of runs and the server in sequence; each compares with its own baseline in one
// loop.
import { measureArm } from '../measure-arm.js'
import { measureExecute } from '../execute/python.js'
import { measureFirstAnswer } from '../mcp/first-answer.js'
import { measureCrowd, measureRestart } from '../serve/crowd.js'
import { measureCalls } from '../serve/calls.js'
import { measureFairness } from '../serve/fairness.js'
import { measureListings } from '../serve/listings.js'
import { measureMemory } from '../serve/memory.js'
import { measureWorstNeighbours } from '../serve/neighbour.js'
import { measureLargeQuery } from '../outputs/large-query.js'
import { measurePacking } from '../packing/measure-packing.js'
import { measureTestRuns } from '../testing/test-runs.js'
import { measureDeadline } from './deadline.js'
import { measureFlood } from './flood.js'
import { measureIsolation } from './isolation.js'
import { measureLargeBlob } from './large-blob.js'
import { measureMaskedSecrets } from './masked-secrets.js'
import { measureNeighbour } from './neighbour.js'
import { measureOwnKernel } from './own-kernel.js'

const ARMS = [
  measureFirstAnswer,
  measureExecute,
  measureIsolation,
  measureOwnKernel,
  measureDeadline,
  measureFlood,
  measureLargeBlob,
  measureMaskedSecrets,
  measureNeighbour,
  measureCalls,
  measureMemory,
  measureCrowd,
  measureRestart,
  measureFairness,
  measureWorstNeighbours,
  measureListings,
  measureLargeQuery,
  measureTestRuns,
  measurePacking,
]

/** Prints one line per arm and returns the results. */
export async function printRuns() {
  const rows = []
  for (const measure of ARMS) {
    for (const row of await measureArm(measure.name, () => measure())) {
      rows.push(row)
      console.log(`${row.arm.padEnd(28)} ${formatCell(row)}`)
    }
  }
  return rows
}

function formatCell(row) {
  if (row.failure !== undefined) return `failed by itself: ${row.failure}`
  const { unit, median, p95, max, limit, least, against, of } = row
  const memory = row.memoryMiB ? `, ${row.memoryMiB} MiB (at most ${row.memoryLimitMiB})` : ''
  if (against) {
    const ratio = median.toFixed(2).padStart(6)
    const bound = least === undefined ? formatLimit(limit) : `, at least ${least}`
    return `${ratio} x ${against} (p95 ${p95.toFixed(2)}${bound})${memory}`
  }
  const spread = median === undefined ? '' : `, median ${median}, p95 ${p95}`
  const worst = Array.isArray(of) ? `, ${of.toSorted((a, b) => b.ratio - a.ratio)[0].name}` : ''
  return `${String(max).padStart(6)} ${unit} in the worst case${worst}${spread} (at most ${limit})`
}

/** Some arms have no limit. */
function formatLimit(limit) {
  return limit === undefined ? '' : `, at most ${limit}`
}
