import { THROUGHPUT_RUN_MS, type Throughput } from '../../../fleet/bench/measure-throughput.ts'
import type { Latency } from '../../../fleet/bench/measure-latency.ts'
import type { Percentiles } from '../../../fleet/bench/percentiles.ts'
import { toPrintable } from '../../../util/printable.ts'
import type { Context } from '../../context.ts'
import { formatPlural } from '../../store/plural.ts'
import { formatTable } from '../../ui/table.ts'

/** Measurements as in JSON. */
export interface BenchResult {
  engine: { version: string }
  /** Milliseconds of each arm. */
  time_ms: number
  latency: Latency
  throughput: readonly Throughput[]
}

/** Prints ratios first: they depend less on the machine than times do. */
export function printBench(context: Context, result: BenchResult): void {
  const rows = formatBench(result).map((row) => row.map(toPrintable))
  const columns = context.stdout.isTTY === true ? context.columns : Infinity
  context.print(formatTable(rows, { columns, paint: [context.style.cyan] }))
}

/** Rows of a table. */
export function formatBench({ engine, latency, throughput }: BenchResult): string[][] {
  const { ratio, added, fleet, local, runMs, runs } = latency
  return [
    ['engine', `nats-server ${engine.version}`],
    ['latency', `p50 / p90 / p99 of ${formatPlural(runs, 'run')} of ${runMs} ms, one at a time`],
    ['  ratio', formatPercentiles(ratio, 2)],
    ['  added', `${formatPercentiles(added)} ms`],
    ['  on a worker', `${formatPercentiles(fleet)} ms`],
    ['  without the fleet', `${formatPercentiles(local)} ms`],
    ['throughput', `share of the ideal rate, runs of ${THROUGHPUT_RUN_MS} ms`],
    ...throughput.map(({ workers, share, runsPerSecond, ideal }) => [
      `  ${formatPlural(workers, 'worker')}`,
      `${(share * 100).toFixed(0)} %, ${runsPerSecond.toFixed(0)} of ${ideal} runs per second`,
    ]),
  ]
}

function formatPercentiles({ p50, p90, p99 }: Percentiles, digits = 1): string {
  return [p50, p90, p99].map((value) => value.toFixed(digits)).join(' / ')
}
