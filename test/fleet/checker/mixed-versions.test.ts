// @module-tag slow
// @module-tag nightly
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { readFence } from '../../../src/fleet/messages/fence.ts'
import { PROTOCOL } from '../../../src/fleet/messages/node-state.ts'
import { FaultedFleet } from './faulted-fleet.ts'
import { NEXT_MINOR, speakNextMinor } from './next-minor.ts'
import { openTestFront } from './stub-fleet.ts'
import { summarize } from './summarize.ts'

/** Two workers and two fronts; one of each is of the next minor. */
async function startMixedFleet(): Promise<FaultedFleet> {
  const fleet = await FaultedFleet.start(1)
  onTestFinished(async () => await fleet.close())
  const [, current] = fleet.fronts
  const options = { dir: fleet.dir, wrapEngine: speakNextMinor }
  fleet.fronts[1] = await openTestFront(fleet.server.url, 'front3', options)
  await current?.close()
  await fleet.addWorker(4, { minor: 'next' })
  await fleet.waitForWorkers(2)
  return fleet
}

/** Pairs of front and worker that performed calls together. */
function listPairs({ entries }: FaultedFleet): string[] {
  const fronts = new Map<string, string>()
  const pairs = new Set<string>()
  for (const entry of entries) if (entry.t === 'asked') fronts.set(entry.call, entry.node)
  for (const entry of entries)
    if (entry.t === 'begin') pairs.add(`${fronts.get(entry.call)} ${entry.node}`)
  return [...pairs].sort()
}

it('nodes of this minor and of the next one perform calls for each other', async () => {
  const fleet = await startMixedFleet()
  await fleet.load({ calls: 80, overMs: 2000 })
  expect(await fleet.check()).toEqual([])
  expect(summarize(fleet.entries).outcomes).toEqual({ completed: 80 })
  expect(listPairs(fleet)).toEqual(['front1 w1', 'front1 w2', 'front3 w1', 'front3 w2'])
  // The control: the messages do differ.
  const versions = fleet.front.workers.all.map(({ state }) => state.v)
  expect(versions.sort()).toEqual([PROTOCOL, NEXT_MINOR])
  const begun = fleet.entries.find((entry) => entry.t === 'begin' && entry.node === 'w2')
  const fence = await readFence(fleet.front.engine, begun?.t === 'begin' ? begun.call : '')
  expect(fence?.fence).toMatchObject({ node: 'w2', added: { list: [1] } })
})

it('runs of a killed worker are reported by fronts of both minors', async () => {
  const fleet = await startMixedFleet()
  const load = fleet.load({ calls: 40, ms: [800, 1200] })
  await sleep(700)
  await fleet.kill('w2')
  await sleep(100)
  await fleet.addWorker()
  await load
  expect(await fleet.check()).toEqual([])
  const { outcomes } = summarize(fleet.entries)
  expect(Object.keys(outcomes).sort()).toEqual(['completed', 'run/interrupted'])
  expect(fleet.entries.filter(({ t }) => t === 'answered')).toHaveLength(40)
})

it('no run fails while all workers, then both fronts, are replaced by those of the next minor', async () => {
  const fleet = await FaultedFleet.start(3)
  onTestFinished(async () => await fleet.close())
  const load = fleet.load({ calls: 120, overMs: 5000 })
  const replaced = [...fleet.workers.keys()]
  for (const name of replaced) {
    await fleet.addWorker(4, { minor: 'next' })
    await fleet.drain(name)
  }
  await load
  for (const at of [0, 1]) {
    const options = { dir: fleet.dir, wrapEngine: speakNextMinor }
    const next = await openTestFront(fleet.server.url, `next${at}`, options)
    await fleet.fronts[at]?.close()
    fleet.fronts[at] = next
    await fleet.waitForWorkers(3)
    await fleet.load({ calls: 20, ms: [20, 100] })
  }
  expect(await fleet.check()).toEqual([])
  expect(summarize(fleet.entries).outcomes).toEqual({ completed: 160 })
})
