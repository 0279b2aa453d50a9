// @module-tag slow
import { describe, expect, it, onTestFinished } from 'vitest'
import { formatBench } from '../../../src/cli/fleet/bench/print-bench.ts'
import { METHODS } from '../../../src/core/methods/index.ts'
import { openStubFront } from '../../../src/fleet/bench/stub-front.ts'
import { openBench } from '../../../src/fleet/bench/open-bench.ts'
import { openEngine, type NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { startNatsServer } from '../../helpers/fleet/nats-server.ts'
import { startProgram } from '../../helpers/program.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'
import { createTenant, useServer } from './fleet-server.ts'

const server = useServer()

/** Names of all streams of the engine, of any tenant. */
async function listAllStreams({ client, connection }: NatsEngine): Promise<string[]> {
  const { streams } = await client.jetstreamManager(connection)
  const names: string[] = []
  for await (const name of streams.names()) names.push(name)
  return names.sort()
}

const isOfBench = (name: string) => name.startsWith('SKILLS_bench')

interface BenchDocument {
  isRemoved: boolean
  time_ms: number
  latency: Record<'ratio' | 'added' | 'fleet' | 'local', Record<'p50' | 'p90' | 'p99', number>>
  throughput: { workers: number; share: number; runsPerSecond: number; ideal: number }[]
}

describe('skills fleet bench', () => {
  it('prints one JSON object, and leaves the tenant in use and the engine as they were', async () => {
    const { engine, fleet } = await createTenant(server.url)
    await fleet(['init'])
    const before = await listAllStreams(engine)
    const { code, json } = await fleet(['bench', '--time', '1s', '--json', '-q'])
    const document = json() as unknown as BenchDocument
    expect({ code, isRemoved: document.isRemoved, time: document.time_ms }).toEqual({
      code: 0,
      isRemoved: true,
      time: 1000,
    })
    const { ratio, added, fleet: onWorker, local } = document.latency
    expect(ratio.p50).toBeCloseTo(onWorker.p50 / local.p50)
    expect(added.p99).toBeCloseTo(onWorker.p99 - local.p99)
    expect(document.throughput.map(({ workers, ideal }) => [workers, ideal])).toEqual([
      [1, 80],
      [2, 160],
      [4, 320],
      [8, 640],
    ])
    for (const { share, runsPerSecond, ideal } of document.throughput) {
      expect(runsPerSecond).toBeGreaterThan(0)
      expect(share).toBeCloseTo(runsPerSecond / ideal)
    }
    expect(await listAllStreams(engine)).toEqual(before)
    expect(await engine.measure('runs')).toMatchObject({ messages: 0, lastSeq: 0 })
    expect(await engine.measure('calls')).toMatchObject({ messages: 0, lastSeq: 0 })
  }, 120_000)

  // Also compiles the modules that the tests below load after the signal, which ends the compiler.
  it('ends after an error', async () => {
    const program = startProgram(['fleet', 'bench', '--time', 'soon'], { cwd: createFolder() })
    expect(await program.ended).toBe(2)
  })

  it('removes its streams on Ctrl-C', async () => {
    const { engine } = await createTenant(server.url)
    const env = { SKILLS_FLEET_SERVERS: server.url }
    const program = startProgram(['fleet', 'bench', '--time', '60s'], { cwd: createFolder(), env })
    await program.says('Measuring the latency', 'stderr')
    expect((await listAllStreams(engine)).filter(isOfBench)).not.toEqual([])
    program.signal('SIGINT')
    const code = await program.ended
    expect(program.stderr()).toContain('Interrupted')
    expect(code).toBe(130)
    expect((await listAllStreams(engine)).filter(isOfBench)).toEqual([])
  }, 60_000)

  it('names the streams that it could not remove, because the engine ended', async () => {
    const ended = await startNatsServer()
    onTestFinished(async () => await ended.close())
    const env = { SKILLS_FLEET_SERVERS: ended.url }
    const program = startProgram(['fleet', 'bench', '--time', '60s'], { cwd: createFolder(), env })
    await program.says('Measuring the latency', 'stderr')
    await ended.end('SIGKILL')
    program.signal('SIGINT')
    await program.ended
    expect(program.stderr()).toMatch(/The streams SKILLS_bench[0-9a-f]{24}_… could not be removed/)
  }, 60_000)

  it.each(['500ms', '61s', '0', 'soon'])('refuses --time %s', async (time) => {
    const { fleet } = await createTenant(server.url)
    const { code, stderr } = await fleet(['bench', '--time', time])
    expect(code).toBe(2)
    expect(stderr).toContain(`Expected a duration from 1s to 60s for --time, got "${time}"`)
  })

  it.each([
    ['bare', 'has no JetStream'],
    ['node', 'does not permit this key'],
  ])(
    'reports in one sentence that the engine refuses, to the user "%s"',
    async (user, sentence) => {
      const limited = await startNatsServer(`
      accounts {
        BARE: { users: [{ user: bare, password: x }] }
        FLEET: {
          jetstream: enabled
          users: [{
            user: node, password: x
            permissions: {
              publish: ["sk.main.>", "$JS.API.INFO", "$JS.API.STREAM.INFO.>", "_INBOX.>"]
              subscribe: ["_INBOX.>", "sk.main.>"]
            }
          }]
        }
      }
      no_auth_user: ${user}`)
      onTestFinished(async () => await limited.close())
      const { code, stderr } = await runSkills(['fleet', 'bench', '--fleet', limited.url])
      expect(code).not.toBe(0)
      expect(stderr).toContain(sentence)
      expect(stderr).toContain('→')
    },
    60_000,
  )
})

describe('formatBench()', () => {
  it('has ratios before times', () => {
    const both = { p50: 2, p90: 3, p99: 4.25 }
    const latency = { runMs: 5, runs: 10, ratio: both, added: both, fleet: both, local: both }
    const throughput = [{ workers: 1, share: 0.925, runsPerSecond: 74, ideal: 80 }]
    const engine = { version: '2.9.10' }
    expect(formatBench({ engine, time_ms: 1000, latency, throughput })).toEqual([
      ['engine', 'nats-server 2.9.10'],
      ['latency', 'p50 / p90 / p99 of 10 runs of 5 ms, one at a time'],
      ['  ratio', '2.00 / 3.00 / 4.25'],
      ['  added', '2.0 / 3.0 / 4.3 ms'],
      ['  on a worker', '2.0 / 3.0 / 4.3 ms'],
      ['  without the fleet', '2.0 / 3.0 / 4.3 ms'],
      ['throughput', 'share of the ideal rate, runs of 50 ms'],
      ['  1 worker', '93 %, 74 of 80 runs per second'],
    ])
  })
})

describe('openBench()', () => {
  it('has a tenant of its own each time, whose workers a front of another tenant does not hear', async () => {
    const options = { servers: server.url, replicas: 1 }
    const [one, other] = [await openBench(options), await openBench(options)]
    const engine = await openEngine({
      servers: server.url,
      name: 'front',
      tenant: 'main',
      patienceMs: 5000,
    })
    const heard: string[] = []
    engine.subscribe('>', ({ subject }) => void heard.push(subject))
    const front = openStubFront(engine)
    try {
      await one.prepare()
      expect(one.tenant).not.toBe(other.tenant)
      await one.workers.resize(1)
      await one.front.waitForWorkers(1, AbortSignal.timeout(30_000))
      await one.front.perform({ ms: 1 })
      await front.waitForWorkers(0, AbortSignal.timeout(30_000))
      expect(heard.filter((subject) => !subject.startsWith('hb.f.'))).toEqual([])
      await expect(front.perform({ ms: 1 })).rejects.toMatchObject({ code: 'fleet/no-worker' })
    } finally {
      front.stop()
      await engine.close()
      await Promise.all([one.close(), other.close()])
    }
  }, 60_000)

  it('offers no method to callers', () => {
    expect(METHODS.filter(({ name }) => /bench|stub/.test(name))).toEqual([])
  })
})
