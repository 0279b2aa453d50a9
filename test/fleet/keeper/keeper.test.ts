// @module-tag slow
import { describe, expect, it } from 'vitest'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { readLeaseHolder } from '../../../src/fleet/keeper/lease.ts'
import type { KeeperJob } from '../../../src/fleet/keeper/run-jobs.ts'
import { openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'
import { countWork, createWritingJob, startTestKeeper } from './keeper-nodes.ts'

const nats = useNatsServer()
const PATIENCE = { timeout: 20_000, interval: 20 }

function createJob(run: KeeperJob['run'], maxMs = 60_000): KeeperJob {
  return { title: 'Testing', firstMs: 0, everyMs: 10, retryMs: 10, maxMs, run }
}

describe('startKeeper()', () => {
  it('lets one of two nodes work, for as long as it renews its lease', async () => {
    const engine = await openTestEngine(nats.server)
    const first = startTestKeeper(engine, 'a')
    await expect.poll(async () => await countWork(engine, 'a'), PATIENCE).toBeGreaterThan(2)
    const second = startTestKeeper(engine, 'b')
    await expect.poll(async () => await countWork(engine, 'a'), PATIENCE).toBeGreaterThan(100)
    expect(second.keeper.isWorking).toBe(false)
    expect(await countWork(engine, 'b')).toBe(0)
    expect(await readLeaseHolder(engine)).toMatchObject({ node: 'a', isReleased: false })
    expect([...first.problems, ...second.problems]).toEqual([])
  })

  it('lets another node work after the keeper has stopped', async () => {
    const engine = await openTestEngine(nats.server)
    const first = startTestKeeper(engine, 'a')
    await expect.poll(() => first.keeper.isWorking, PATIENCE).toBe(true)
    startTestKeeper(engine, 'b')
    await first.keeper.stop()
    expect(await readLeaseHolder(engine)).toMatchObject({ node: 'a', isReleased: true })
    const { lastSeq } = await engine.measure('audit')
    await expect.poll(async () => await countWork(engine, 'b'), PATIENCE).toBeGreaterThan(2)
    expect(await countWork(engine, 'a', lastSeq)).toBe(0)
  })

  it('lets one of many nodes that start at once work', async () => {
    const engine = await openTestEngine(nats.server)
    const nodes = Array.from({ length: 8 }, (_, at) => `n${at}`)
    const keepers = nodes.map((node) => startTestKeeper(engine, node).keeper)
    await expect.poll(() => keepers.some(({ isWorking }) => isWorking), PATIENCE).toBe(true)
    await expect
      .poll(async () => (await engine.measure('audit')).messages, PATIENCE)
      .toBeGreaterThan(20)
    const counts = await Promise.all(nodes.map(async (node) => await countWork(engine, node)))
    expect(counts.filter((count) => count > 0)).toHaveLength(1)
  })

  it('stops the work when another node has taken the lease', async () => {
    const engine = await openTestEngine(nats.server)
    let workEngine: Engine | undefined
    const job = createJob(async (given) => void (workEngine = given))
    const { keeper, problems } = startTestKeeper(engine, 'a', [job])
    await expect.poll(() => workEngine !== undefined, PATIENCE).toBe(true)
    // A renewal may be faster.
    await expect
      .poll(async () => {
        const stored = await engine.last('state', 'k.keeper.lease')
        const body = JSON.stringify({ node: 'b', start: '1', isReleased: false })
        return await engine.replace('state', 'k.keeper.lease', { body, seq: stored?.seq ?? 0 })
      }, PATIENCE)
      .toBeDefined()
    await expect.poll(() => keeper.isWorking, PATIENCE).toBe(false)
    await expect(workEngine?.append('audit', 'au.x.y', '')).rejects.toThrow('lease')
    await expect(workEngine?.remove('data', 'd.>')).rejects.toThrow('lease')
    await expect(workEngine?.last('state', 'k.x')).rejects.toThrow('lease')
    expect(() => workEngine?.publish('x', '')).toThrow('lease')
    // The other node does not renew it.
    await expect.poll(() => keeper.isWorking, PATIENCE).toBe(true)
    expect(problems).toEqual([])
  })

  it('stops the work while the engine is away, and continues afterwards', async () => {
    const engine = await openTestEngine(nats.server)
    const { keeper } = startTestKeeper(engine, 'a')
    await expect.poll(() => keeper.isWorking, PATIENCE).toBe(true)
    nats.server.process.kill('SIGSTOP')
    try {
      await expect.poll(() => keeper.isWorking, PATIENCE).toBe(false)
    } finally {
      nats.server.process.kill('SIGCONT')
    }
    await expect.poll(() => keeper.isWorking, PATIENCE).toBe(true)
  })

  it('takes over a lease that is not valid JSON', async () => {
    const engine = await openTestEngine(nats.server)
    await engine.append('state', 'k.keeper.lease', 'not JSON')
    const { keeper } = startTestKeeper(engine, 'a')
    await expect.poll(() => keeper.isWorking, PATIENCE).toBe(true)
  })

  it('ends when it is stopped while the engine is away', async () => {
    const engine = await openTestEngine(nats.server)
    const { keeper } = startTestKeeper(engine, 'a')
    await expect.poll(() => keeper.isWorking, PATIENCE).toBe(true)
    nats.server.process.kill('SIGSTOP')
    try {
      await keeper.stop()
      expect(keeper.isWorking).toBe(false)
    } finally {
      nats.server.process.kill('SIGCONT')
    }
  })
})

describe('jobs of a keeper', () => {
  it('are reported when they fail, and tried again', async () => {
    const engine = await openTestEngine(nats.server)
    let tries = 0
    const job = createJob(async () => {
      if (++tries < 3) throw new Error(`try ${tries}`)
    })
    const { problems } = startTestKeeper(engine, 'a', [job])
    await expect.poll(() => tries, PATIENCE).toBeGreaterThan(3)
    expect(problems).toEqual(['Testing: Error: try 1', 'Testing: Error: try 2'])
  })

  it('are given up after a while, and cannot write beside the next attempt', async () => {
    const engine = await openTestEngine(nats.server)
    const engines: Engine[] = []
    const job = createJob(async (given) => {
      engines.push(given)
      if (engines.length === 1) await new Promise(() => {})
    }, 200)
    const { problems } = startTestKeeper(engine, 'a', [job])
    await expect.poll(() => engines.length, PATIENCE).toBeGreaterThan(2)
    expect(problems).toEqual([expect.stringContaining('did not end within')])
    await expect(engines[0]?.append('audit', 'au.x.y', '')).rejects.toThrow('given up')
    await engines[1]?.append('audit', 'au.x.y', '')
  })

  it('run beside a job of another list that takes long', async () => {
    const engine = await openTestEngine(nats.server)
    let count = 0
    const quick = createJob(async () => void count++)
    const slow = createWritingJob('a')
    const { startKeeper } = await import('../../../src/fleet/keeper/keeper.ts')
    const keeper = startKeeper(engine, {
      identity: { name: 'a', start: '1' },
      createJobs: () => [[slow], [quick]],
      onProblem: () => {},
    })
    await expect.poll(() => count, PATIENCE).toBeGreaterThan(3)
    expect(await countWork(engine, 'a')).toBeGreaterThan(0)
    await keeper.stop()
  })
})
