// @module-tag slow
// @module-tag nightly
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { FaultedFleet } from './faulted-fleet.ts'
import { openTestFront } from './test-front.ts'
import { summarize, type Summary } from './summarize.ts'

const WORKERS = 4
/** Promised limits of a report, with a margin for a machine under load. */
const KILLED_LIMIT_MS = 2000 + 2000
const SILENT_LIMIT_MS = 7000 + 2000

let fleet: FaultedFleet
let since = 0

beforeAll(async () => {
  fleet = await FaultedFleet.start(WORKERS)
})
afterAll(async () => await fleet.close())
beforeEach(async () => {
  await fleet.restoreWorkers(WORKERS)
  since = Date.now()
})
afterEach(async ({ task }) => {
  console.log(task.name, JSON.stringify(summarize(fleet.entries, since)))
})

function pickWorkers(count: number): string[] {
  return [...fleet.workers.keys()].slice(0, count)
}

/** The summary of this test, once no invariant is violated. */
async function checkAll(): Promise<Summary> {
  await expect(fleet.check()).resolves.toEqual([])
  return summarize(fleet.entries, since)
}

it('runs of killed workers are reported as interrupted', async () => {
  const load = fleet.load({ calls: 200, overMs: 3000 })
  const [first = '', second = ''] = pickWorkers(2)
  await sleep(1000)
  await fleet.kill(first)
  await sleep(700)
  await fleet.kill(second)
  await load
  const { outcomes, reportedAfterMs } = await checkAll()
  expect(Object.keys(outcomes).sort()).toEqual(['completed', 'run/interrupted'])
  expect(Math.max(...reportedAfterMs)).toBeLessThan(KILLED_LIMIT_MS)
})

/** Load with runs that are long enough for each worker to have some when a fault begins. */
async function loadWithLongRuns(calls: number): Promise<void> {
  const long = fleet.load({ calls: 12, ms: [1500, 1500] })
  await Promise.all([long, fleet.load({ calls, overMs: 5000 })])
}

it('a stopped worker is given up after 5 seconds, and its late results are refused', async () => {
  const [short = '', long = ''] = pickWorkers(2)
  const load = loadWithLongRuns(200)
  await sleep(500)
  await Promise.all([load, fleet.pause(short, 2000), fleet.pause(long, 8000)])
  await sleep(2500)
  const { outcomes, reportedAfterMs } = await checkAll()
  expect(outcomes['run/interrupted']).toBeGreaterThan(0)
  expect(outcomes['run/interrupted']).toBeLessThanOrEqual(6)
  expect(Math.max(...reportedAfterMs)).toBeLessThan(SILENT_LIMIT_MS)
})

it('a worker with a blocked event loop is given up after 5 seconds', async () => {
  const [short = '', long = ''] = pickWorkers(2)
  const load = loadWithLongRuns(200)
  await sleep(500)
  await Promise.all([load, fleet.block(short, 2000), fleet.block(long, 8000)])
  await sleep(2500)
  const { outcomes, reportedAfterMs } = await checkAll()
  expect(outcomes['run/interrupted']).toBeGreaterThan(0)
  expect(outcomes['run/interrupted']).toBeLessThanOrEqual(6)
  expect(Math.max(...reportedAfterMs)).toBeLessThan(SILENT_LIMIT_MS)
})

it('runs complete while the engine is stopped for 4 seconds', async () => {
  const load = fleet.load({ calls: 150, overMs: 5000 })
  await sleep(1000)
  await fleet.pauseEngine(4000)
  await load
  const { outcomes } = await checkAll()
  expect(outcomes).toEqual({ completed: 150 })
})

it('runs complete while the engine is killed and started again', async () => {
  const load = fleet.load({ calls: 150, overMs: 4000 })
  await sleep(1000)
  await fleet.restartEngine('SIGKILL', 1000)
  await load
  const { outcomes } = await checkAll()
  expect(outcomes).toEqual({ completed: 150 })
})

it('runs complete while the engine is restarted twice', async () => {
  const load = fleet.load({ calls: 150, overMs: 5000 })
  await sleep(700)
  await fleet.restartEngine('SIGTERM', 300)
  await sleep(1000)
  await fleet.restartEngine('SIGTERM', 1000)
  await load
  const { outcomes } = await checkAll()
  expect(outcomes).toEqual({ completed: 150 })
})

it('callers of a killed front get their answers from another front', async () => {
  const child = await fleet.startFront('front3')
  const calls = Array.from({ length: 40 }, () => createRunId())
  child.send({ calls, ms: 1500 })
  const isBegun = () => fleet.entries.some(({ t, ...rest }) => t === 'begin' && isCallOf(rest))
  const isCallOf = (entry: object) => 'call' in entry && calls.includes(entry.call as string)
  while (!isBegun()) await sleep(50)
  await sleep(500)
  await fleet.killFront('front3', child)
  const front = fleet.fronts[1] as (typeof fleet.fronts)[number]
  await Promise.all(calls.map(async (call) => await front.run(call, 1500)))
  const { outcomes, begun } = await checkAll()
  expect({ outcomes, begun }).toEqual({ outcomes: { completed: 40 }, begun: 40 })
})

it('no run fails while two workers leave and another one joins', async () => {
  const load = fleet.load({ calls: 150, overMs: 4000 })
  const [first = '', second = ''] = pickWorkers(2)
  await sleep(700)
  const drains = [fleet.drain(first)]
  await sleep(500)
  drains.push(fleet.drain(second))
  await fleet.addWorker()
  await Promise.all([load, ...drains])
  const { outcomes } = await checkAll()
  expect(outcomes).toEqual({ completed: 150 })
})

it('cancelled runs end on their workers', async () => {
  const controllers = Array.from({ length: 20 }, () => new AbortController())
  const runs = controllers.map(async ({ signal }, at) => {
    const front = fleet.fronts[at % 2] as (typeof fleet.fronts)[number]
    return await front.run(createRunId(), 20_000, signal)
  })
  await sleep(700)
  const cancelledAt = performance.now()
  for (const controller of controllers) controller.abort()
  await Promise.all(runs)
  expect(performance.now() - cancelledAt).toBeLessThan(5000)
  const { outcomes } = await checkAll()
  expect(outcomes).toEqual({ 'run/cancelled': 20 })
})

it('calls that are refused because all places are taken never begin', async () => {
  const front = await openTestFront(fleet.server.url, 'front4', { dir: fleet.dir, waiting: 3 })
  while (front.workers.all.length < WORKERS) await sleep(50)
  const runs = Array.from({ length: 60 }, async () => await front.run(createRunId(), 500))
  const outcomes = await Promise.all(runs)
  await front.close()
  expect(outcomes.filter((outcome) => outcome === 'run/busy').length).toBeGreaterThan(20)
  const { begun, outcomes: counts } = await checkAll()
  expect(begun).toBe(counts['completed'])
})
