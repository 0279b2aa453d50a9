// Random faults in a fleet of stub workers: `npm run fleet:faults -- --minutes 60 --seed 7`.
import { parseArgs } from 'node:util'
import { causeRandomFaults } from './random-faults.ts'

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string' } },
})
const seed = values.seed === undefined ? Date.now() % 1_000_000 : Number(values.seed)
console.error(`Seed ${seed}`)
const report = await causeRandomFaults({
  minutes: Number(values.minutes),
  seed,
  onRound: (round) => console.error(round),
})
const { reportedAfterMs, ...rest } = report
const middle = reportedAfterMs[Math.floor(reportedAfterMs.length / 2)]
const reported = { count: reportedAfterMs.length, p50: middle, max: reportedAfterMs.at(-1) }
process.stdout.write(`${JSON.stringify({ ...rest, reportedAfterMs: reported }, null, 2)}\n`)
process.exitCode = report.violations.length === 0 ? 0 : 1
