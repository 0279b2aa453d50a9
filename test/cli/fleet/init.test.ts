// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { listEngineLimits } from '../../../src/fleet/engine/engine-limits.ts'
import { createTenant, useServer } from './fleet-server.ts'

const STREAMS = [
  'calls',
  'runs',
  'data',
  'jobs',
  'workspaces',
  'skills',
  'state',
  'access',
  'audit',
]
const server = useServer()

describe('skills fleet init', () => {
  it('creates the streams of the tenant, and leaves them unchanged the next time', async () => {
    const { engine, fleet } = await createTenant(server.url)
    const first = await fleet(['init'])
    expect(first.code).toBe(0)
    const lines = STREAMS.map((name) => `created  SKILLS_${engine.tenant}_${name}`)
    expect(first.stdout.trim().split('\n')).toEqual(lines)
    expect((await fleet(['init'])).stdout.match(/^unchanged /gm)).toHaveLength(STREAMS.length)
    expect(await engine.measure('calls')).toMatchObject({ messages: 0 })
  })

  it('updates the streams whose lifetimes changed', async () => {
    const { fleet } = await createTenant(server.url)
    await fleet(['init'])
    const { code, json } = await fleet(['init', '--json'], { env: { SKILLS_STORE_RUNS_TTL: '1d' } })
    expect(code).toBe(0)
    const streams = json()['streams'] as { name: string; state: string }[]
    expect(streams.filter(({ state }) => state === 'updated').map(({ name }) => name)).toEqual([
      expect.stringMatching(/_calls$/),
      expect.stringMatching(/_runs$/),
      expect.stringMatching(/_data$/),
    ])
  })

  it.each([
    [1, 'fleet.tenant'],
    [99, 'Update this program'],
  ])('refuses streams of version %d, and changes nothing', async (version, hint) => {
    const { engine, fleet } = await createTenant(server.url)
    await fleet(['init'])
    const stored = await engine.last('state', 'k.fleet.assets')
    const body = JSON.stringify({ assets: version })
    await engine.replace('state', 'k.fleet.assets', { body, seq: stored?.seq ?? 0 })
    const before = await engine.last('state', 'k.fleet.assets')
    for (const argv of [['init'], ['jobs']]) {
      const { code, stderr } = await fleet(argv, { env: { SKILLS_STORE_RUNS_TTL: '1d' } })
      expect(code).not.toBe(0)
      expect(stderr).toContain(`have version ${version}; this program needs 2`)
      expect(stderr).toContain(hint)
    }
    expect(await engine.last('state', 'k.fleet.assets')).toEqual(before)
  })

  it('prints one JSON document, with what the engine does not guarantee', async () => {
    const { engine, fleet } = await createTenant(server.url)
    const { code, json, stderr } = await fleet(['init', '--json'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(json()).toMatchObject({
      schema: 'skills.fleet-init/v1',
      tenant: engine.tenant,
      engine: { version: engine.version },
      replicas: 1,
      streams: STREAMS.map((name) => ({
        name: `SKILLS_${engine.tenant}_${name}`,
        state: 'created',
      })),
      limits: [...listEngineLimits(engine.version)],
    })
  })

  it('prints what the engine does not guarantee', async () => {
    const { engine, fleet } = await createTenant(server.url)
    const { stderr } = await fleet(['init'])
    for (const { sentence } of listEngineLimits(engine.version)) expect(stderr).toContain(sentence)
    expect((await fleet(['init', '-q'])).stderr).toBe('')
  })

  it.each(['0', '6', '-1', 'many', '1.5', ''])('refuses %j replicas', async (count) => {
    const { fleet } = await createTenant(server.url)
    const { code, stderr } = await fleet(['init', `--replicas=${count}`])
    expect(code).toBe(2)
    expect(stderr).toContain(`Expected a number from 1 to 5 for --replicas, got "${count}"`)
  })

  it('refuses replicas that this engine cannot keep, and creates nothing', async () => {
    const { engine, fleet } = await createTenant(server.url)
    const { code, stderr } = await fleet(['init', '--replicas', '3'])
    expect(code).not.toBe(0)
    expect(stderr).toMatch(/nats-server|The engine at/)
    await expect(engine.measure('calls')).rejects.toThrow('has no streams')
  })

  it('refuses arguments', async () => {
    const { fleet } = await createTenant(server.url)
    expect((await fleet(['init', 'extra'])).code).toBe(2)
  })
})

describe('listEngineLimits()', () => {
  it.each([
    ['2.9.10', ['power-failure', 'replicas']],
    ['2.10.22', ['power-failure', 'replicas']],
    ['2.10.23', ['power-failure']],
    ['2.12.1', ['power-failure']],
  ])('of version %s lists %j', (version, codes) => {
    expect(listEngineLimits(version).map(({ code }) => code)).toEqual(codes)
  })

  it('names the setting only to engines that have it', () => {
    expect(listEngineLimits('2.9.10')[0]?.sentence).toContain('from 2.10 on')
    expect(listEngineLimits('2.10.0')[0]?.sentence).toContain('only with "sync_interval: always"')
  })
})
