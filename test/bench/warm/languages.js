// Measures whether a warm path for Node would pay off: runs cold and in a fork, against those of
// Python and against the start of Node itself, in turns. `node test/bench/warm/main.js languages`
// runs these arms alone.
import { execFileSync, spawn } from 'node:child_process'
import { join } from 'node:path'
import { median, quantile } from '../quantile.js'
import { openRuntime, writeFile } from '../runs/library.js'
import { createTemporaryFolder } from '../temporary-folder.js'
import { IMPORTS } from './arms.js'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 15)
const BASE = 'node -e 0'
const CODE = {
  python: 'def main(args):\n    return 1\n',
  node: 'export const main = () => 1\n',
  typescript: 'export const main = (): number => 1\n',
}

/** Returns a row for each language and path. */
export async function measureLanguages() {
  const [cold, warm] = [await openRuntime(), await openRuntime({}, { warm: true })]
  const arms = bareArms()
  for (const [language, code] of Object.entries(CODE)) {
    for (const [path, run] of Object.entries({ cold, warm })) {
      const once = async () => await getRunPath(run, { language, code })
      await waitForPath(path, once)
      arms[`${language}, ${path}, library`] = async () => {
        const taken = await once()
        if (taken !== path) throw new Error(`${language} was ${taken}`)
      }
    }
  }
  const times = Object.fromEntries(Object.keys(arms).map((name) => [name, []]))
  for (let round = -2; round < ROUNDS; round++) {
    for (const [name, work] of Object.entries(arms)) {
      const start = performance.now()
      await work()
      if (round >= 0) times[name].push(performance.now() - start)
    }
  }
  await warm.stop()
  return Object.entries(times).map(([name, own]) => ({
    arm: name,
    against: BASE,
    median: median(own) / median(times[BASE]),
    p95: quantile(own, 0.95) / quantile(times[BASE], 0.95),
    ms: { median: median(own), p95: quantile(own, 0.95) },
  }))
}

async function getRunPath(run, { language, code }) {
  const { status, isolation, error } = await run(code, { language })
  if (status !== 'completed') throw new Error(`${language} ${status}: ${error?.message}`)
  return isolation.path
}

/** The next zygote includes a language that is requested repeatedly. */
async function waitForPath(path, once) {
  for (let tries = 0; tries < 50; tries++) {
    if ((await once()) === path) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
}

/** Interpreters without a sandbox: the lower bound for every sandbox that starts one. */
function bareArms() {
  const ask = 'import sys; print(sys.executable)'
  const python = execFileSync('python3', ['-c', ask], { encoding: 'utf8' }).trim()
  const blob = join(createTemporaryFolder('snapshot'), 'blob')
  const entry = writeFile('snapshot.js', 'globalThis.ready = true\n')
  execFileSync(process.execPath, ['--snapshot-blob', blob, '--build-snapshot', entry])
  return {
    [BASE]: async () => await runSpawned(process.execPath, ['-e', '0']),
    'node from a start-up snapshot': async () =>
      await runSpawned(process.execPath, ['--snapshot-blob', blob, entry]),
    'bare python, harness imports': async () =>
      await runSpawned(python, ['-I', '-S', '-c', IMPORTS]),
  }
}

function runSpawned(program, words) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, words, { stdio: 'ignore' })
    child.on('error', reject)
    child.on('exit', resolve)
  })
}
