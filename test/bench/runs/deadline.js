// Measures how long after its timeout the result of a run arrives, whatever the run does against
// being ended.
import { quantile } from '../quantile.js'
import { openRuntime } from './library.js'

const ROUNDS = 5
const TIMEOUT_MS = 250
const LIMIT_MS = 150

const STUBBORN = {
  sleeps: 'time.sleep(60)',
  spins: 'while True: pass',
  'computes in C': 'pow(3, 10 ** 9)',
  'ignores signals': `for number in range(1, 65):
        try: signal.signal(number, signal.SIG_IGN)
        except (OSError, ValueError): pass
    time.sleep(60)`,
  'left processes': `for _ in range(40):
        if os.fork() == 0:
            os.setsid()
            time.sleep(60)
    time.sleep(60)`,
}

export async function measureDeadline() {
  const run = await openRuntime()
  const over = []
  await run('def main(args):\n    return 1\n')
  for (let round = 0; round < ROUNDS; round++) {
    for (const [name, body] of Object.entries(STUBBORN)) {
      const code = `import os, signal, time\n\ndef main(args):\n    ${body}\n`
      const start = performance.now()
      const { error } = await run(code, { limits: { timeout_ms: TIMEOUT_MS } })
      over.push(performance.now() - start - TIMEOUT_MS)
      if (error?.type !== 'Timeout') throw new Error(`The run that ${name} reported ${error?.type}`)
    }
  }
  const [median, p95, max] = [0.5, 0.95, 1].map((share) => Math.round(quantile(over, share)))
  return { arm: 'result after the timeout', unit: 'ms', median, p95, max, limit: LIMIT_MS }
}
