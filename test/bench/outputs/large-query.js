// Queries an output of one gigabyte, against zcat and grep over the same file in the same loop.
import { spawnSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../../', import.meta.url))
const BIN = join(ROOT, 'bin/skills.js')
const SIZE = Number(process.env.BENCH_OUTPUT_BYTES ?? 1 << 30)
const ROUNDS = 5
const RUN = `run_${'a'.repeat(24)}`
/** The case of ASCII terms and of others is folded differently. */
const NEEDLES = ['NeedleInHay', 'NädelImHeu']

/** Time as a ratio, and memory of the whole process, for each kind of term. */
export async function measureLargeQuery() {
  const data = mkdtempSync(join(tmpdir(), 'skills-bench-output-'))
  try {
    const writer = fileURLToPath(new URL('write-output.js', import.meta.url))
    requireSuccess(
      spawnSync(process.execPath, [writer, data, RUN, String(SIZE), NEEDLES.join(' ')]),
    )
    return NEEDLES.map((needle) => measure(data, needle))
  } finally {
    rmSync(data, { recursive: true, force: true })
  }
}

function measure(data, needle) {
  const outputs = join(data, 'outputs')
  const file = join(
    outputs,
    readdirSync(outputs).find((name) => name.endsWith('.stdout.gz')),
  )
  const { handle } = JSON.parse(readFileSync(file.replace('.stdout.gz', '.json'), 'utf8'))
  const memoryFile = join(data, 'memory')
  const hook = join(data, 'hook.mjs')
  writeFileSync(
    hook,
    `import { writeFileSync } from 'node:fs'
process.on('exit', () => writeFileSync(${JSON.stringify(memoryFile)}, String(process.resourceUsage().maxRSS)))`,
  )
  const env = { ...process.env, HOME: data, SKILLS_DIRECTORIES_DATA: data }
  const argv = ['--import', hook, BIN, 'runs', 'query', handle, needle.toLowerCase(), '--json']
  const grep = ['-c', `zcat "$1" | grep -ic "$2"`, 'sh', file, needle]
  const pairs = []
  let memory = 0
  for (let round = -1; round < ROUNDS; round++) {
    const [ours, answer] = timed(() => spawnSync(process.execPath, argv, { env, cwd: data }))
    const [theirs, count] = timed(() =>
      spawnSync('sh', grep, { env: { ...env, LC_ALL: 'C.UTF-8' } }),
    )
    const { matchCount } = JSON.parse(String(answer.stdout))
    if (matchCount !== Number(count.stdout))
      throw new Error(`${matchCount} matches, not ${count.stdout}`)
    memory = Math.max(memory, Number(readFileSync(memoryFile, 'utf8')) / 1024)
    // The first round fills our caches and those of the system.
    if (round >= 0) pairs.push({ ours, theirs, ratio: ours / theirs })
  }
  const at = (key, share) => {
    const sorted = pairs.map((pair) => pair[key]).toSorted((a, b) => a - b)
    return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  }
  return {
    arm: `query of a 1 GB output for ${needle}`,
    against: 'zcat | grep',
    median: at('ours', 0.5) / at('theirs', 0.5),
    p95: at('ratio', 0.95),
    limit: 1.5,
    memoryMiB: Math.round(memory * 10) / 10,
    memoryLimitMiB: 64,
  }
}

function timed(work) {
  const start = performance.now()
  const done = requireSuccess(work())
  return [performance.now() - start, done]
}

function requireSuccess(done) {
  if (done.status === 0) return done
  throw new Error(`it ended with ${done.status}: ${done.stderr}`)
}
