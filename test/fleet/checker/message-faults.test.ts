// @module-tag slow
// @module-tag nightly
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { FaultedFleet } from './faulted-fleet.ts'
import { doubleMessages, replayHeartbeats, sendGarbage, replayStarts } from './hostile-node.ts'
import { openTestFront } from './stub-fleet.ts'
import { summarize } from './summarize.ts'

async function startFleet(workers: number, config = ''): Promise<FaultedFleet> {
  const fleet = await FaultedFleet.start(workers, { config })
  onTestFinished(async () => await fleet.close())
  return fleet
}

/** A node that may send and receive everything. */
async function openNode(fleet: FaultedFleet): Promise<Engine> {
  const { url } = fleet.server
  const engine = await openEngine({ servers: url, name: 'evil', tenant: 'main', patienceMs: 5000 })
  onTestFinished(async () => await engine.close())
  return engine
}

async function checkAll(fleet: FaultedFleet) {
  await expect(fleet.check()).resolves.toEqual([])
  const summary = summarize(fleet.entries)
  console.log(JSON.stringify(summary))
  return summary
}

const LOSSES = `mappings: {
  "sk.main.a.*.*": [ { destination: "dead.a.$1.$2", weight: 20% } ]
  "sk.main.w.*.start": [ { destination: "dead.w.$1", weight: 20% } ]
}`

it('runs complete while a fifth of the starts and of the replies is lost', async () => {
  const fleet = await startFleet(3, LOSSES)
  await fleet.load({ calls: 150, overMs: 4000, ms: [20, 150] })
  const { outcomes } = await checkAll(fleet)
  expect(outcomes).toEqual({ completed: 150 })
})

it('starts that are lost occupy no places of the workers', async () => {
  const fleet = await startFleet(2)
  let isLosing = true
  const wrapEngine = (engine: Engine): Engine =>
    new Proxy(engine, {
      get(target, key) {
        const value = Reflect.get(target, key, target) as unknown
        if (typeof value !== 'function') return value
        const method = (value as (...args: unknown[]) => unknown).bind(target)
        if (key !== 'publish') return method
        return (...message: Parameters<Engine['publish']>) => {
          if (!isLosing || !message[0].endsWith('.start')) method(...message)
        }
      },
    })
  const front = await openTestFront(fleet.server.url, 'front3', { dir: fleet.dir, wrapEngine })
  onTestFinished(async () => await front.close())
  while (front.workers.capacity < 12) await sleep(50)
  // Twice the places of both workers, with those where calls wait.
  const calls = Array.from({ length: 24 }, async () => await front.run(createRunId(), 20))
  await sleep(3000)
  isLosing = false
  expect(await Promise.all(calls)).toEqual(calls.map(() => 'completed'))
  await checkAll(fleet)
})

it('no run begins twice while all messages are doubled and heartbeats are repeated', async () => {
  const fleet = await startFleet(3)
  const node = await openNode(fleet)
  doubleMessages(node)
  const replay = replayHeartbeats(node)
  onTestFinished(() => replay.stop())
  const load = fleet.load({ calls: 150, overMs: 4000, ms: [20, 150] })
  await sleep(1000)
  const [name = ''] = fleet.workers.keys()
  await fleet.kill(name)
  await fleet.startWorker(name)
  await load
  const { outcomes, reportedAfterMs } = await checkAll(fleet)
  // The runs that the killed worker had.
  expect(outcomes['run/interrupted'] ?? 0).toBeLessThanOrEqual(6)
  expect(Math.max(0, ...reportedAfterMs)).toBeLessThan(7000)
})

it('nodes survive garbage on every subject, and replayed starts begin nothing', async () => {
  const fleet = await startFleet(2)
  const node = await openNode(fleet)
  const replay = replayStarts(node, [...fleet.workers.keys()])
  onTestFinished(() => replay.stop())
  const load = fleet.load({ calls: 60, overMs: 3000, ms: [20, 150] })
  for (let round = 0; round < 5; round++) {
    sendGarbage(node, { workers: [...fleet.workers.keys()], fronts: ['front1', 'front2'] })
    await sleep(400)
  }
  await load
  await sleep(500)
  await fleet.load({ calls: 10, ms: [20, 20] })
  const { outcomes } = await checkAll(fleet)
  expect(outcomes).toEqual({ completed: 70 })
  expect(replay.count).toBeGreaterThan(60)
  expect([...fleet.workers.values()].map(({ exitCode }) => exitCode)).toEqual([null, null])
})

it('a worker of another major version gets no calls', async () => {
  const fleet = await startFleet(1)
  const node = await openNode(fleet)
  const calls: unknown[] = []
  node.subscribe('w.newer.start', ({ body }) => void calls.push(body))
  const state = { v: '2.0', role: 'worker', node: 'newer', start: 'f', build: 'b', pool: 'default' }
  const places = { labels: [], places: 100, line: 2, running: 0, waiting: 0, seen: {}, catalog: 0 }
  const timer = setInterval(() => {
    node.publish('hb.w.newer', JSON.stringify({ ...state, ...places, beat: 1, isDraining: false }))
  }, 200)
  onTestFinished(() => clearInterval(timer))
  await sleep(500)
  await fleet.load({ calls: 20, ms: [20, 50] })
  expect((await checkAll(fleet)).outcomes).toEqual({ completed: 20 })
  expect(calls).toEqual([])
})

it('a worker refuses a start of another major version', async () => {
  const fleet = await startFleet(1)
  const node = await openNode(fleet)
  const reply = new Promise((done) => {
    node.subscribe('a.newer.1', ({ body }) => done(JSON.parse(Buffer.from(body).toString())))
  })
  const start = { v: '2.0', call: createRunId(), front: 'newer', token: '1' }
  node.publish('w.w1.start', JSON.stringify(start))
  await expect(reply).resolves.toMatchObject({ t: 'busy', why: 'version' })
})
