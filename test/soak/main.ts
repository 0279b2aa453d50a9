// Ten minutes of mixed calls with faults against `skills serve`: `npm run soak -- --seconds 600`.
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { soak } from './soak.ts'

const { values } = parseArgs({ options: { seconds: { type: 'string', default: '600' } } })
const bin = fileURLToPath(new URL('../../bin/skills.js', import.meta.url))
const report = await soak({ seconds: Number(values.seconds), command: [bin] })
process.stdout.write(`${JSON.stringify(report, null, 2)}\n`)
process.exitCode = report.problems.length === 0 ? 0 : 1
