// Measures the latency of every arm in turns, the throughput of the two that are compared, and
// latency under load.
import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { readProcessMs } from '../processes.js'
import { median, quantile } from '../quantile.js'
import { timeInTurns } from '../turns.js'
import { openArms } from './arms.js'
import { firstCalls } from './first-call.js'
import { plot } from './plot.js'

const ROUNDS = Number(process.env.BENCH_WARM_ROUNDS ?? 60)
const BASE = 'bare python, harness imports'
const OURS = 'warm, JSON-RPC over HTTP'
const CONCURRENT = 8
const WARM_UP_RUNS = 1500
const LOADS = [0.25, 0.5, 0.75, 0.9, 1, 1.25]
const LOAD_MS = 2000
const PLOT = fileURLToPath(new URL('../../../.bench/warm.svg', import.meta.url))

/** Returns a row per arm and per guarantee; writes the plot. */
export async function measureWarm() {
  const { arms, close, server, leftOut } = await openArms()
  try {
    const times = await timeInTurns(arms, { rounds: ROUNDS, warmUp: 3 })
    const rows = Object.keys(arms).map((name) => createRow(name, times))
    const throughput = await measureThroughput(arms, server.child.pid)
    const loads = await measureUnderLoad(arms, throughput.ours)
    mkdirSync(dirname(PLOT), { recursive: true })
    writeFileSync(PLOT, plot({ title: `Latency of "${OURS}" against offered load`, points: loads }))
    console.log(`Written to ${join('.bench', 'warm.svg')}`)
    if (leftOut) console.log(leftOut)
    return [
      ...rows,
      createBackendRow(times),
      throughput.row,
      ...(await firstCalls()),
      { arm: 'load', loads, leftOut },
    ]
  } finally {
    await close()
  }
}

const COLD = 'cold, library'
const BUBBLEWRAP = 'cold by bubblewrap, library'
const LIMITS = { [OURS]: { limit: 0.45, limitP95: 0.8 }, [COLD]: { limit: 1.8 } }

function createRow(name, times) {
  const [own, base] = [times[name], times[BASE]]
  return {
    arm: name,
    against: BASE,
    median: median(own) / median(base),
    // Quantile of the times, not of their ratios: the wait of one in twenty calls.
    p95: quantile(own, 0.95) / quantile(base, 0.95),
    ms: { median: median(own), p95: quantile(own, 0.95) },
    ...LIMITS[name],
  }
}

/** Both backends alternate in one loop. */
function createBackendRow(times) {
  const [own, base] = [times[COLD], times[BUBBLEWRAP]]
  return {
    arm: COLD,
    against: BUBBLEWRAP,
    median: median(own) / median(base),
    p95: quantile(own, 0.95) / quantile(base, 0.95),
    limit: 1.3,
  }
}

/** A fresh server still compiles its code for some hundred runs. */
async function warmUp(work) {
  let left = WARM_UP_RUNS
  const go = async () => {
    while (left-- > 0) await work()
  }
  await Promise.all(Array.from({ length: CONCURRENT }, go))
}

/** Measures runs per second, eight in parallel, three rounds of each in turns. */
async function measureThroughput(arms, serverPid) {
  await warmUp(arms[OURS])
  const rates = { [BASE]: [], [OURS]: [] }
  const used = []
  for (let round = 0; round < 3; round++) {
    rates[BASE].push(await measureRate(arms[BASE]))
    const [before, start] = [readProcessMs(serverPid), performance.now()]
    rates[OURS].push(await measureRate(arms[OURS]))
    used.push((readProcessMs(serverPid) - before) / (performance.now() - start))
  }
  const [base, ours] = [median(rates[BASE]), median(rates[OURS])]
  const row = {
    arm: `${OURS}, ${CONCURRENT} at a time`,
    against: `the runs a second of "${BASE}"`,
    atLeast: 3,
    median: ours / base,
    perSecond: { base, ours },
    // Near 1, the event loop is the bottleneck: the collector and file access use other threads.
    serverBusy: median(used),
  }
  return { ours, row }
}

async function measureRate(work) {
  const until = performance.now() + LOAD_MS
  const start = performance.now()
  let done = 0
  const go = async () => {
    while (performance.now() < until) {
      await work()
      done += 1
    }
  }
  await Promise.all(Array.from({ length: CONCURRENT }, go))
  return (done / (performance.now() - start)) * 1000
}

/** Sends calls at fixed times, whether or not earlier ones have returned. */
async function measureUnderLoad(arms, most) {
  const points = []
  for (const share of LOADS) {
    const offered = most * share
    const times = []
    const calls = []
    const start = performance.now()
    for (let at = 0; at < (offered * LOAD_MS) / 1000; at++) {
      const due = start + (at * 1000) / offered
      const early = due - performance.now()
      if (early > 1) await new Promise((resolve) => setTimeout(resolve, early))
      // A rejected call returns at once, which counts as a response.
      const one = arms[OURS]().catch(() => {})
      calls.push(one.then(() => times.push(performance.now() - due)))
    }
    await Promise.all(calls)
    points.push({ offered, median: median(times), p95: quantile(times, 0.95) })
  }
  return points
}
