// Runs of one token alone, and while another token floods the server: both arms alternate in one
// loop. The flood is CPU-bound, and as large as its token may have. Nothing of the other token may
// be refused.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { startServe } from './start.js'

const ROUNDS = 5
const RUNS = 5
const CONCURRENT = 32
const LIMIT = 2
const FLOOD = 'token-of-the-flooding-caller'
const OTHER = 'token-of-the-other-caller'
const SPIN = 'def main(args):\n    return sum(range(4_000_000))\n'
const SHORT = 'def main(args):\n    return sum(range(300_000))\n'

export async function measureFairness() {
  const dir = mkdtempSync(join(tmpdir(), 'skills-bench-fairness-'))
  writeFileSync(join(dir, 'tokens.txt'), `${FLOOD} flood\n${OTHER} other\n`, { mode: 0o600 })
  const server = await startServe(dir, { argv: ['--token-file', 'tokens.txt'] })
  const arms = { alone: [], beside: [] }
  try {
    await timeRuns(server.port)
    for (let round = 0; round < ROUNDS; round++) {
      arms.alone.push(...(await timeRuns(server.port)))
      const stop = startFlood(server.port)
      await sleep(300)
      arms.beside.push(...(await timeRuns(server.port)))
      await stop()
    }
  } finally {
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  }
  const sorted = (list) => list.toSorted((a, b) => a - b)
  const [alone, beside] = [sorted(arms.alone), sorted(arms.beside)]
  const at = (list, share) => list[Math.floor((list.length - 1) * share)]
  return {
    arm: 'runs beside a flood',
    against: 'runs of the same token alone',
    median: at(beside, 0.5) / at(alone, 0.5),
    p95: at(beside, 0.95) / at(alone, 0.95),
    limit: LIMIT,
  }
}

function startFlood(port) {
  const state = { isOn: true }
  const work = Array.from({ length: CONCURRENT }, async () => {
    while (state.isOn) if (!(await run(port, FLOOD, SPIN))) await sleep(20)
  })
  return async () => {
    state.isOn = false
    await Promise.all(work)
  }
}

async function timeRuns(port) {
  const times = []
  for (let at = 0; at < RUNS; at++) {
    const start = performance.now()
    if (!(await run(port, OTHER, SHORT))) throw new Error('A run within its share was refused')
    times.push(performance.now() - start)
  }
  return times
}

/** True if the run was completed. */
async function run(port, token, code) {
  const params = { language: 'python', code }
  const response = await fetch(`http://127.0.0.1:${port}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'run_code', params }),
  })
  return (await response.json()).result?.status === 'completed'
}
