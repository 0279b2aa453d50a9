// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { createTenant, FRONT, repeat, startNode, useServer, WORKER } from './fleet-server.ts'

const server = useServer()

describe('skills fleet status', () => {
  it('without streams names the command that creates them, and exits with 1', async () => {
    const { engine, fleet } = await createTenant(server.url)
    startNode(engine, WORKER)
    const { code, stdout, stderr } = await fleet(['status'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^workers +1$/m)
    expect(stdout).not.toContain('stream ')
    expect(stderr).toContain(`The engine has no streams of "${engine.tenant}"`)
    expect(stderr).toContain('skills fleet init --fleet')
  })

  it('without a worker exits with 1', async () => {
    const { engine, fleet } = await createTenant(server.url)
    await fleet(['init'])
    startNode(engine, FRONT)
    const { code, stdout, stderr } = await fleet(['status'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^places +0 of 0 free$/m)
    expect(stderr).toContain('No worker was heard')
    expect(stderr).toContain(`skills worker --fleet ${server.url}`)
  })

  it('with draining workers only exits with 1', async () => {
    const { engine, fleet } = await createTenant(server.url)
    await fleet(['init'])
    startNode(engine, { ...WORKER, isDraining: true })
    const { code, stdout, stderr } = await fleet(['status'])
    expect(code).toBe(1)
    expect(stdout).toMatch(/^workers +1, of which 1 draining$/m)
    expect(stderr).toContain('All workers are draining')
  })

  it('shows the engine, nodes, places, waiting calls and streams, and exits with 0', async () => {
    const { engine, fleet } = await createTenant(server.url)
    await fleet(['init'])
    await engine.append('audit', 'au.one.a', 'x'.repeat(2048))
    startNode(engine, WORKER)
    startNode(engine, { ...WORKER, node: 'two', running: 4, waiting: 2 })
    startNode(engine, { ...WORKER, node: 'three', isDraining: true })
    startNode(engine, FRONT)
    const { code, stdout, stderr } = await fleet(['status'])
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(stdout).toContain(`nats-server ${engine.version} at ${server.url}, connected`)
    expect(stdout).toMatch(new RegExp(`^tenant +${engine.tenant}$`, 'm'))
    expect(stdout).toMatch(/^workers +3, of which 1 draining$/m)
    expect(stdout).toMatch(/^fronts +1$/m)
    expect(stdout).toMatch(/^places +3 of 8 free$/m)
    expect(stdout).toMatch(/^waiting +5 calls$/m)
    expect(stdout).toMatch(/^stream calls +0 messages, 0 B$/m)
    expect(stdout).toMatch(/^stream audit +1 message, 2\.\d KiB$/m)
  })

  it('prints one JSON document', async () => {
    const { engine, fleet } = await createTenant(server.url)
    await fleet(['init'])
    startNode(engine, WORKER)
    repeat(engine, 'hb.w.bad', 'not JSON')
    const { code, json } = await fleet(['status', '--json'])
    expect(code).toBe(0)
    const document = json()
    expect(document).toMatchObject({
      schema: 'skills.fleet-status/v1',
      engine: { servers: server.url, version: engine.version, connected: true },
      tenant: engine.tenant,
      workers: { total: 1, draining: 0 },
      fronts: { total: 0, draining: 0 },
      unreadable: 1,
      places: { total: 4, free: 3 },
      waiting: 0,
      problem: null,
    })
    expect((document['streams'] as unknown[]).length).toBe(9)
  })

  it('with streams of a newer version says so', async () => {
    const { engine, fleet } = await createTenant(server.url)
    await fleet(['init'])
    const stored = await engine.last('state', 'k.fleet.assets')
    await engine.replace('state', 'k.fleet.assets', {
      body: '{"assets":99}',
      seq: stored?.seq ?? 0,
    })
    const { code, json } = await fleet(['status', '--json'])
    expect(code).toBe(1)
    expect(json()).toMatchObject({
      problem: { message: expect.stringContaining('version 99') as string },
    })
  })
})
