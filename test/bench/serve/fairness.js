// Runs of one token in three arms that alternate in one loop: alone, while another token floods the
// server, and while the same generator floods a dummy server at the same rate. The last arm shows
// the processor time that the generator takes on this machine. Nothing of the other token may be
// refused. Usage: node test/bench/serve/fairness.js [part of the name of a flood]
import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { FLOOD_KINDS } from './flood.js'
import { startScript, startServe } from './start.js'

const ROUNDS = Number(process.env.BENCH_ROUNDS ?? 3)
const RUNS = 15
/** Short calls, whose time is printed without a limit. */
const CALLS = 30
const LIMIT = 2
const FLOOD = 'token-of-the-flooding-caller'
const OTHER = 'token-of-the-other-caller'
const SHORT = 'def main(args):\n    return sum(range(300_000))\n'

/** Returns a row for each kind of flood whose name contains `part`. */
export async function measureFairness(part = '') {
  const dummy = await startScript(fileURLToPath(new URL('dummy.js', import.meta.url)))
  const rows = []
  try {
    for (const kind of FLOOD_KINDS.filter((each) => each.includes(part))) {
      rows.push(await measureFlood(kind, dummy.port))
    }
  } finally {
    await dummy.stop()
  }
  return rows
}

async function measureFlood(kind, dummyPort) {
  const dir = mkdtempSync(join(tmpdir(), 'skills-bench-fairness-'))
  writeFileSync(join(dir, 'tokens.txt'), `${FLOOD} flood\n${OTHER} other\n`, { mode: 0o600 })
  const server = await startServe(dir, { argv: ['--token-file', 'tokens.txt'] })
  const arms = { alone: [], beside: [], control: [] }
  const calls = { alone: [], beside: [], control: [] }
  const measure = async (arm) => {
    arms[arm].push(...(await timeRuns(server.port)))
    calls[arm].push(...(await timeCalls(server.port)))
  }
  const generator = { beside: [], control: [] }
  try {
    await timeRuns(server.port)
    for (let round = 0; round < ROUNDS; round++) {
      await measure('alone')
      let rate
      for (const [arm, port] of [
        ['beside', server.port],
        ['control', dummyPort],
      ]) {
        const flood = await startFlood(port, kind, rate)
        await sleep(500)
        await measure(arm)
        const { perSecond, cpuShare } = await flood.stop()
        rate = Math.max(1, perSecond)
        generator[arm].push(cpuShare)
      }
    }
  } finally {
    await server.stop()
    rmSync(dir, { recursive: true, force: true })
  }
  const median = (list) => takeQuantile(list, 0.5)
  return {
    arm: `runs beside a flood of ${kind}`,
    against: 'runs of the same token alone',
    median: median(arms.beside) / median(arms.alone),
    p95: takeQuantile(arms.beside, 0.95) / takeQuantile(arms.alone, 0.95),
    limit: LIMIT,
    againstGenerator: median(arms.beside) / median(arms.control),
    ms: mapValues(arms, median),
    callMs: mapValues(calls, median),
    slowestCallMs: Math.max(...calls.beside),
    generatorCpu: mapValues(generator, median),
  }
}

function mapValues(record, map) {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, map(value)]))
}

function takeQuantile(list, share) {
  const sorted = list.toSorted((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * share)]
}

/** Starts a flood; without a rate, it is as fast as the server answers. */
async function startFlood(port, kind, rate) {
  const script = fileURLToPath(new URL('flood.js', import.meta.url))
  const argv = [script, String(port), kind, FLOOD, ...(rate === undefined ? [] : [String(rate)])]
  const child = spawn(process.execPath, argv, { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
  const receive = () => new Promise((resolve) => child.once('message', resolve))
  const ask = async () => {
    const answer = receive()
    child.send('report')
    return await answer
  }
  await receive()
  const startedAt = performance.now()
  const before = await ask()
  return {
    /** Stops the flood, and returns its requests a second and its share of a processor. */
    async stop() {
      const after = await ask()
      const ms = performance.now() - startedAt
      const ended = new Promise((resolve) => child.once('exit', resolve))
      child.kill('SIGKILL')
      await ended
      // Runs of the flood that have started end by themselves.
      await sleep(500)
      return {
        perSecond: ((after.requests - before.requests) / ms) * 1000,
        cpuShare: (after.cpuMs - before.cpuMs) / ms,
      }
    },
  }
}

async function timeRuns(port) {
  const times = []
  for (let at = 0; at < RUNS; at++) {
    const start = performance.now()
    const answer = await run(port)
    if (answer.result?.status !== 'completed') {
      throw new Error(`A run within its share was refused: ${JSON.stringify(answer)}`)
    }
    times.push(performance.now() - start)
  }
  return times
}

async function timeCalls(port) {
  const times = []
  for (let at = 0; at < CALLS; at++) {
    const start = performance.now()
    const { error } = await send(port, 'list_skills')
    if (error) throw new Error(`A call within its share was refused: ${JSON.stringify(error)}`)
    times.push(performance.now() - start)
  }
  return times
}

const run = async (port) => await send(port, 'run_code', { language: 'python', code: SHORT })

async function send(port, method, params) {
  const response = await fetch(`http://127.0.0.1:${port}/rpc`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${OTHER}` },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
  })
  return await response.json()
}

function formatRow({ arm, median, p95, limit, againstGenerator, ms, generatorCpu, ...row }) {
  const percent = (share) => `${Math.round(share * 100)}%`
  const cells = [
    `${median.toFixed(2)} x alone (at most ${limit})`,
    `p95 ${p95.toFixed(2)}`,
    `${againstGenerator.toFixed(2)} x beside the generator`,
    ...Object.entries(ms).map(([name, value]) => `${name} ${value.toFixed(1)} ms`),
    `a call ${Object.values(row.callMs)
      .map((value) => value.toFixed(1))
      .join(', ')} ms, at most ${row.slowestCallMs.toFixed(0)} ms beside`,
    `generator ${percent(generatorCpu.beside)} of a core, ${percent(generatorCpu.control)} in the control`,
  ]
  return `${arm.padEnd(44)} ${cells.join('  ')}`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const row of await measureFairness(process.argv[2])) console.log(formatRow(row))
}
