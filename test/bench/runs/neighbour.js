// Measures how much longer the runs of a neighbour take while one run does its worst in the same
// host process.
import { median } from '../quantile.js'
import { openRuntime } from './library.js'

const RUNS = 8
const LIMIT = 2

const WORST = {
  'forks without end': `while True:
        try: os.fork()
        except OSError: pass`,
  'takes all memory': `held = []
    while True: held.append(b"x" * 1000000)`,
  'fills its disk': `while True:
        try:
            with open("/workspace/a", "wb") as file:
                while True: file.write(bytes(1 << 20))
        except OSError: os.unlink("/workspace/a")`,
  'makes files': `for n in range(10 ** 9): open("/tmp/%d" % n, "w").close()`,
  'spins in every process': `for _ in range(40):
        if os.fork() == 0: break
    while True: pass`,
  'floods its output': 'while True: os.write(1, b"x" * 65536)',
}

export async function measureNeighbour() {
  const run = await openRuntime()
  const offend = await openRuntime()
  await timeRuns(run, 3)
  const rows = []
  for (const [name, body] of Object.entries(WORST)) {
    const code = `import os\n\ndef main(args):\n    ${body}\n`
    const alone = await timeRuns(run, RUNS)
    const stop = new AbortController()
    const offender = (async () => {
      while (!stop.signal.aborted) await offend(code, { limits: { timeout_ms: 1500 } })
    })()
    const beside = await timeRuns(run, RUNS)
    stop.abort()
    await offender
    rows.push({ name, ratio: Math.round((median(beside) / median(alone)) * 100) / 100 })
  }
  const max = Math.max(...rows.map(({ ratio }) => ratio))
  return { arm: "a neighbour's runs", unit: 'x', max, limit: LIMIT, of: rows }
}

async function timeRuns(run, count) {
  const times = []
  for (let at = 0; at < count; at++) {
    const start = performance.now()
    const { status, error } = await run('def main(args):\n    return sum(range(300000))\n')
    times.push(performance.now() - start)
    if (status !== 'completed') throw new Error(`A neighbour's run ${status}: ${error?.type}`)
  }
  return times
}
