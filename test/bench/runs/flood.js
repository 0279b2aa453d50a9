// Measures the host memory that a flood of output costs. Runs in a process of its own, whose memory
// is measured: `node --expose-gc flood.js`.
import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'

const LIMIT_MIB = 16
const MIB = 1024 ** 2

const FLOODS = {
  'in lines': 'while True: print("x" * 100)',
  'without an end of line': 'while True: os.write(1, b"x" * 65536)',
  'on both': 'while True: os.write(1, b"x" * 4096); os.write(2, b"y" * 4096)',
  'as log lines': 'from runtime import log\n    while True: log.info("x" * 1000)',
}

export function measureFlood() {
  const self = fileURLToPath(import.meta.url)
  const done = spawnSync(process.execPath, ['--expose-gc', self, 'measure'], { encoding: 'utf8' })
  if (done.status !== 0) throw new Error(`The flood ended with ${done.status}: ${done.stderr}`)
  return { arm: 'memory of an output flood', unit: 'MiB', ...JSON.parse(done.stdout) }
}

async function measure() {
  const { openRuntime } = await import('./library.js')
  const run = await openRuntime()
  const grown = {}
  // One uncounted pass first: compiled code and caches stay, however much is printed.
  for (const isCounted of [false, true]) {
    for (const [name, body] of Object.entries(FLOODS)) {
      const code = `import os\n\ndef main(args):\n    ${body}\n`
      globalThis.gc()
      const before = process.memoryUsage.rss()
      let most = before
      const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), 2)
      const { error } = await run(code)
      clearInterval(timer)
      if (error?.type !== 'OutputLimit') throw new Error(`${name}: ${error?.type}`)
      if (isCounted) grown[name] = Math.round(((most - before) / MIB) * 10) / 10
    }
  }
  const max = Math.max(...Object.values(grown))
  console.log(JSON.stringify({ max, limit: LIMIT_MIB, of: grown }))
}

if (process.argv[2] === 'measure') await measure()
