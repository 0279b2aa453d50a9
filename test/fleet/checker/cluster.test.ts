// @module-tag slow
// @module-tag nightly
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { setTimeout as sleep } from 'node:timers/promises'
import { nameStream } from '../../../src/fleet/engine/assets.ts'
import type { NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { explainMissingCluster, startNatsCluster } from '../../helpers/fleet/nats-cluster.ts'
import type { TestServer } from '../../helpers/fleet/nats-server.ts'
import { FaultedFleet } from './faulted-fleet.ts'
import { summarize } from './summarize.ts'

const WORKERS = 2
const CALLS = 120
const reason = explainMissingCluster()
if (reason !== undefined) console.log(`skipped: ${reason}`)

describe.skipIf(reason !== undefined)('an engine of three servers', () => {
  let fleet: FaultedFleet
  let since = 0

  beforeAll(async () => {
    fleet = await FaultedFleet.open(await startNatsCluster(), WORKERS, { replicas: 3 })
  }, 60_000)
  afterAll(async () => await fleet.close())
  beforeEach(async () => {
    await fleet.waitForEngine()
    since = Date.now()
  })
  afterEach(({ task }) => console.log(task.name, JSON.stringify(summarize(fleet.entries, since))))

  /** The server that decides about the writes of a stream. */
  async function findLeader(stream: 'calls' | 'runs'): Promise<TestServer> {
    const { client, connection } = fleet.front.engine as NatsEngine
    const { streams } = await client.jetstreamManager(connection)
    const { cluster } = await streams.info(nameStream('main', stream))
    const member = fleet.servers[Number(cluster?.leader?.slice(1)) - 1]
    if (!member) throw new Error('the stream has no leader')
    return member
  }

  async function expectAllCompleted(load: Promise<string[]>): Promise<void> {
    expect(new Set(await load)).toEqual(new Set(['completed']))
    expect(await fleet.check()).toEqual([])
  }

  it('keeps each stream on all servers', async () => {
    const { client, connection } = fleet.front.engine as NatsEngine
    const { streams } = await client.jetstreamManager(connection)
    for (const stream of ['calls', 'runs', 'state', 'access', 'audit'] as const) {
      const { config, cluster } = await streams.info(nameStream('main', stream))
      expect([stream, config.num_replicas, cluster?.replicas?.length]).toEqual([stream, 3, 2])
    }
  })

  it.each(['calls', 'runs'] as const)(
    'completes all runs while the leader of %s is killed and starts again',
    async (stream) => {
      const load = fleet.load({ calls: CALLS, overMs: 6000 })
      await sleep(1500)
      await fleet.restartEngine('SIGKILL', 3000, await findLeader(stream))
      await expectAllCompleted(load)
    },
  )

  it('loses no run while the leader of calls is stopped for 8 seconds', async () => {
    const load = fleet.load({ calls: CALLS, overMs: 6000 })
    await sleep(1500)
    await fleet.pauseEngine(8000, await findLeader('calls'))
    // A worker whose own connection is to the stopped server is silent until it connects to another one.
    const told = ['run/interrupted', 'fleet/no-worker']
    const outcomes = await load
    const others = outcomes.filter((outcome) => outcome !== 'completed')
    expect(others.filter((outcome) => !told.includes(outcome))).toEqual([])
    expect(others.length).toBeLessThan(CALLS / 2)
    expect(await fleet.check()).toEqual([])
  })

  it('completes all runs while one server after the other is restarted', async () => {
    const load = fleet.load({ calls: CALLS, overMs: 15_000 })
    for (const member of fleet.servers) {
      await sleep(2500)
      await fleet.restartEngine('SIGTERM', 500, member)
    }
    await expectAllCompleted(load)
  })

  it('begins and ends nothing while two servers are away, and completes all runs after it', async () => {
    const [first, second] = fleet.servers
    const load = fleet.load({ calls: CALLS, overMs: 6000 })
    await sleep(1500)
    const away = [first, second].map(
      async (member) => await fleet.restartEngine('SIGKILL', 6000, member),
    )
    await sleep(3000)
    const awaySince = Date.now()
    await sleep(2000)
    const begun = fleet.entries.filter(({ t, at }) => t === 'begin' && at > awaySince)
    expect(begun).toEqual([])
    await Promise.all(away)
    await expectAllCompleted(load)
  })
})
