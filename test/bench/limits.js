// Compares the CLI's commands with a bare Node process, and runs with their own baselines; only
// ratios are meaningful. With --json (npm run bench -- --json) the rows are printed as one
// document, and the table on stderr. With --check it lists the limits that were missed, and fails
// if noise does not explain them.
import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateSkills } from './generate-skills.js'
import { measureArm } from './measure-arm.js'
import { printMissedLimits } from './missed-limits.js'
import { printRequests } from './prompt/request.js'
import { median, quantile } from './quantile.js'
import { printRuns } from './runs/print.js'
import { createTemporaryFolder } from './temporary-folder.js'
import { printTranscripts } from './transcripts/print.js'
import { timeInTurns } from './turns.js'
import { printWarm } from './warm/print.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const BIN = join(ROOT, 'bin/skills.js')
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 11)
const isJson = process.argv.includes('--json')
const print = console.log
if (isJson) console.log = console.error
const work = createTemporaryFolder('commands')

const few = join(work, 'few')
const many = join(work, 'many')
generateSkills(join(few, 'skills'), 1000)
generateSkills(join(many, 'skills'), 2000)

const memoryFile = join(work, 'memory')
const hook = join(work, 'hook.mjs')
writeFileSync(
  hook,
  `import { writeFileSync } from 'node:fs'
process.on('exit', () => writeFileSync(${JSON.stringify(memoryFile)}, String(process.resourceUsage().maxRSS)))`,
)

/** Each arm is a whole process; `against` names the arm by whose time it is divided. */
const arms = [
  { name: 'node -e 0', argv: ['-e', '0'] },
  { name: 'skills --version', argv: [BIN, '--version'], against: 'node -e 0', limit: 1.5 },
  {
    name: 'skills list, 1,000 skills',
    argv: [BIN, 'list', '--json'],
    cwd: few,
    against: 'node -e 0',
    limit: 4,
  },
  {
    name: 'read and parse 2,000 skills',
    argv: [join(ROOT, 'test/bench/read-and-parse.js'), join(many, 'skills')],
  },
  {
    name: 'skills lint, 2,000 skills',
    argv: ['--import', hook, BIN, 'lint', '--json'],
    cwd: many,
    against: 'read and parse 2,000 skills',
    limit: 10,
    memoryLimit: 300,
  },
]

function runOnce(arm) {
  const env = { ...process.env, HOME: work }
  const done = spawnSync(process.execPath, arm.argv, {
    cwd: arm.cwd ?? work,
    env,
    maxBuffer: 1 << 28,
  })
  if (done.status !== 0) throw new Error(`${arm.name} ended with ${done.status}: ${done.stderr}`)
  if (arm.memoryLimit)
    arm.memory = Math.max(arm.memory ?? 0, Number(readFileSync(memoryFile, 'utf8')) / 1024)
}

const times = await timeInTurns(
  Object.fromEntries(arms.map((arm) => [arm.name, () => runOnce(arm)])),
  { rounds: ROUNDS },
)

const rows = arms
  .filter((arm) => arm.against)
  .map((arm) => {
    const [own, base] = [times[arm.name], times[arm.against]]
    const ratios = own.map((ms, index) => ms / base[index])
    return {
      arm: arm.name,
      against: arm.against,
      median: median(own) / median(base),
      p95: quantile(ratios, 0.95),
      limit: arm.limit,
      ...(arm.memoryLimit
        ? { memoryMiB: Math.round(arm.memory), memoryLimitMiB: arm.memoryLimit }
        : {}),
    }
  })

for (const row of rows) {
  const memory = row.memoryMiB ? `, ${row.memoryMiB} MiB (at most ${row.memoryLimitMiB})` : ''
  console.log(
    `${row.arm.padEnd(28)} ${row.median.toFixed(2).padStart(6)} x ${row.against} (p95 ${row.p95.toFixed(2)}, at most ${row.limit})${memory}`,
  )
}
rows.push(...(await printWarm()), ...(await printRuns()))
rows.push(...(await measureArm('requests of a conversation', printRequests)))
rows.push(...(await measureArm('tokens of tasks', printTranscripts)))
const document = JSON.stringify({ node: process.version, rounds: ROUNDS, rows }, null, 2)
mkdirSync(join(ROOT, '.bench'), { recursive: true })
writeFileSync(join(ROOT, '.bench/results.json'), `${document}\n`)
console.log('Written to .bench/results.json')
if (isJson) print(document)
if (process.argv.includes('--check') && printMissedLimits(rows)) process.exitCode = 1
