// Compares the CLI's commands with a bare Node process. The arms alternate in one loop, so that a
// machine that slows down affects all of them; only ratios are meaningful. With --json (npm run
// bench -- --json) the rows are printed as one document, and the table on stderr. With --check it
// lists the limits that were missed, and fails if noise does not explain them.
import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { generateSkills } from './generate-skills.js'
import { measureArm } from './measure-arm.js'
import { printMissedLimits } from './missed-limits.js'
import { printRequests } from './prompt/request.js'
import { printRuns } from './runs/print.js'
import { printWarm } from './warm/print.js'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const BIN = join(ROOT, 'bin/skills.js')
const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 11)
const isJson = process.argv.includes('--json')
const print = console.log
if (isJson) console.log = console.error
const work = mkdtempSync(join(tmpdir(), 'skills-bench-'))
process.on('exit', () => rmSync(work, { recursive: true, force: true }))

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
  const start = process.hrtime.bigint()
  const done = spawnSync(process.execPath, arm.argv, {
    cwd: arm.cwd ?? work,
    env,
    maxBuffer: 1 << 28,
  })
  const ms = Number(process.hrtime.bigint() - start) / 1e6
  if (done.status !== 0) throw new Error(`${arm.name} ended with ${done.status}: ${done.stderr}`)
  if (arm.memoryLimit)
    arm.memory = Math.max(arm.memory ?? 0, Number(readFileSync(memoryFile, 'utf8')) / 1024)
  return ms
}

const times = new Map(arms.map((arm) => [arm.name, []]))
for (let round = -1; round < ROUNDS; round++) {
  for (const arm of arms) {
    const ms = runOnce(arm)
    // The first round fills our caches and those of the system.
    if (round >= 0) times.get(arm.name).push(ms)
  }
}

const sorted = (name) => times.get(name).toSorted((a, b) => a - b)
const quantile = (list, share) => list[Math.min(list.length - 1, Math.floor(list.length * share))]
const rows = arms
  .filter((arm) => arm.against)
  .map((arm) => {
    const pairs = times
      .get(arm.name)
      .map((ms, index) => ms / times.get(arm.against)[index])
      .toSorted((a, b) => a - b)
    return {
      arm: arm.name,
      against: arm.against,
      median: quantile(sorted(arm.name), 0.5) / quantile(sorted(arm.against), 0.5),
      p95: quantile(pairs, 0.95),
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
const document = JSON.stringify({ node: process.version, rounds: ROUNDS, rows }, null, 2)
mkdirSync(join(ROOT, '.bench'), { recursive: true })
writeFileSync(join(ROOT, '.bench/results.json'), `${document}\n`)
console.log('Written to .bench/results.json')
if (isJson) print(document)
if (process.argv.includes('--check') && printMissedLimits(rows)) process.exitCode = 1
