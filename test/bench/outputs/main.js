// Runs the benchmark arm of outputs alone: node test/bench/outputs/main.js
import { measureLargeQuery } from './large-query.js'

for (const row of await measureLargeQuery())
  console.log(
    `${row.arm}: ${row.median.toFixed(2)} x ${row.against} (p95 ${row.p95.toFixed(2)}, at most ${row.limit}), ${row.memoryMiB} MiB (at most ${row.memoryLimitMiB})`,
  )
