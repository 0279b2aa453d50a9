// @module-tag slow
import { describe, expect, it } from 'vitest'
import { openEngine, type NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { ASSETS_VERSION } from '../../../src/fleet/engine/assets.ts'
import { createTenant, FRONT, startNode, useServer, WORKER } from './fleet-server.ts'

const server = useServer()
const VERSION_1 = ['calls', 'runs', 'data', 'skills', 'state', 'audit'] as const
const SUBJECTS = {
  calls: ['c.>'],
  runs: ['r.>'],
  data: ['d.>', 'b.>', 'u.>'],
  skills: ['s.>'],
  state: ['k.>'],
  audit: ['au.>'],
}
const LIFETIME_NS = 7 * 3600 * 1e9

/** Creates the streams as programs of version 1 did, with a message in each kind. */
async function createVersion1(engine: NatsEngine): Promise<void> {
  const { client, connection, tenant } = engine
  const { streams } = await client.jetstreamManager(connection)
  for (const name of VERSION_1) {
    const isExpiring = name === 'calls' || name === 'runs' || name === 'data'
    const keepsOne = isExpiring || name === 'skills'
    await streams.add({
      name: `SKILLS_${tenant}_${name}`,
      subjects: SUBJECTS[name].map((subject) => `sk.${tenant}.${subject}`),
      max_age: isExpiring ? LIFETIME_NS : 0,
      num_replicas: 1,
      allow_direct: name === 'data',
      storage: client.StorageType.File,
      retention: client.RetentionPolicy.Limits,
      discard: name === 'state' ? client.DiscardPolicy.Old : client.DiscardPolicy.New,
      max_msgs_per_subject: name === 'audit' ? -1 : 1,
      ...(keepsOne && { discard_new_per_subject: true }),
      ...(name === 'audit' && { deny_delete: true, deny_purge: true }),
    })
  }
  await engine.create('state', 'k.fleet.assets', JSON.stringify({ assets: 1 }))
  await engine.create('runs', 'r.one.end', 'kept')
  await engine.append('audit', 'au.one.a', 'first')
}

async function listStreams({ client, connection, tenant }: NatsEngine): Promise<string[]> {
  const { streams } = await client.jetstreamManager(connection)
  const names: string[] = []
  for await (const name of streams.names(`sk.${tenant}.>`)) names.push(name)
  return names.map((name) => name.replace(`SKILLS_${tenant}_`, '')).sort()
}

async function readVersion(engine: NatsEngine): Promise<unknown> {
  const found = await engine.last('state', 'k.fleet.assets')
  return found && JSON.parse(Buffer.from(found.body).toString())
}

async function readConfig({ client, connection, tenant }: NatsEngine, stream: string) {
  const { streams } = await client.jetstreamManager(connection)
  return (await streams.info(`SKILLS_${tenant}_${stream}`)).config
}

const OLD_WORKER = { ...WORKER, running: 0 }
const NEW_FRONT = { ...FRONT, assets: ASSETS_VERSION }

describe('skills fleet migrate', () => {
  it('creates what version 1 does not have, and keeps messages, lifetimes and replicas', async () => {
    const { engine, fleet } = await createTenant(server.url)
    await createVersion1(engine)
    const { code, stdout, stderr } = await fleet(['migrate'])
    expect({ code, stderr }).toEqual({
      code: 0,
      stderr: 'The streams were migrated: from version 1 to 2; stored messages stay as they are\n',
    })
    const { tenant } = engine
    expect(stdout.trim().split('\n')).toEqual([
      `created  SKILLS_${tenant}_jobs`,
      `created  SKILLS_${tenant}_workspaces`,
      `updated  SKILLS_${tenant}_skills (allow_direct)`,
      `created  SKILLS_${tenant}_access`,
    ])
    expect(await readVersion(engine)).toEqual({ assets: 2 })
    expect(await engine.measure('runs')).toMatchObject({ messages: 1, firstSeq: 1 })
    expect(await engine.last('runs', 'r.one.end')).toMatchObject({ seq: 1 })
    expect(await engine.measure('audit')).toMatchObject({ messages: 1 })
    expect(await readConfig(engine, 'runs')).toMatchObject({ max_age: LIFETIME_NS })
    expect(await readConfig(engine, 'skills')).toMatchObject({ allow_direct: true })
    const { consumers } = await engine.client.jetstreamManager(engine.connection)
    expect((await consumers.info(`SKILLS_${tenant}_jobs`, 'workers')).name).toBe('workers')
  })

  it('keeps tokens and the policy', async () => {
    const { engine, fleet } = await createTenant(server.url)
    await createVersion1(engine)
    await engine.append('state', 'k.tokens.alice', 'a token')
    await engine.append('state', 'k.policy.current', 'a policy')
    expect((await fleet(['migrate'])).code).toBe(0)
    const read = async (subject: string) => {
      const found = await engine.last('access', subject)
      return found && Buffer.from(found.body).toString()
    }
    expect(await read('ac.tokens.alice')).toBe('a token')
    expect(await read('ac.policy.current')).toBe('a policy')
  })

  it('changes nothing the next time', async () => {
    const { engine, fleet } = await createTenant(server.url)
    await createVersion1(engine)
    await fleet(['migrate'])
    const before = await engine.last('state', 'k.fleet.assets')
    const { code, json } = await fleet(['migrate', '--json'])
    expect(code).toBe(0)
    expect(json()).toMatchObject({ from: 2, to: 2, state: 'unchanged', changes: [] })
    expect(await engine.last('state', 'k.fleet.assets')).toEqual(before)
  })

  it('lists the changes with --dry-run, also while older nodes run, and changes nothing', async () => {
    const { engine, fleet } = await createTenant(server.url)
    await createVersion1(engine)
    startNode(engine, OLD_WORKER)
    const { code, json } = await fleet(['migrate', '--dry-run', '--json'])
    expect(code).toBe(0)
    expect(json()).toEqual({
      schema: 'skills.fleet-migrate/v1',
      tenant: engine.tenant,
      from: 1,
      to: 2,
      state: 'planned',
      changes: [
        { stream: `SKILLS_${engine.tenant}_jobs`, change: 'create', settings: [] },
        { stream: `SKILLS_${engine.tenant}_workspaces`, change: 'create', settings: [] },
        { stream: `SKILLS_${engine.tenant}_skills`, change: 'update', settings: ['allow_direct'] },
        { stream: `SKILLS_${engine.tenant}_access`, change: 'create', settings: [] },
      ],
    })
    expect((await fleet(['migrate', '--dry-run'])).stderr).toContain('Nothing was changed')
    expect(await listStreams(engine)).toEqual([...VERSION_1].sort())
    expect(await readVersion(engine)).toEqual({ assets: 1 })
    expect(await readConfig(engine, 'skills')).not.toMatchObject({ allow_direct: true })
  })

  it('refuses while a node of an older version is heard, and changes nothing', async () => {
    const { engine, fleet } = await createTenant(server.url)
    await createVersion1(engine)
    const old = startNode(engine, OLD_WORKER)
    startNode(engine, NEW_FRONT)
    const { code, stderr } = await fleet(['migrate'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('do not know version 2 of the streams: worker "one"\n')
    expect(stderr).toContain('Stop them')
    expect(await readVersion(engine)).toEqual({ assets: 1 })
    expect(await listStreams(engine)).toEqual([...VERSION_1].sort())
    old.stop()
    expect((await fleet(['migrate'])).code).toBe(0)
  })

  it('refuses while a sender is heard whose heartbeats it does not understand', async () => {
    const { engine, fleet } = await createTenant(server.url)
    await createVersion1(engine)
    startNode(engine, { ...OLD_WORKER, v: '0.9' })
    const { code, stderr } = await fleet(['migrate'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('1 sender of heartbeats not understood')
  })

  it('stores the version before the streams, so that an older node that starts meanwhile stops it', async () => {
    const { engine, fleet } = await createTenant(server.url)
    await createVersion1(engine)
    const stop = await engine.watch('state', 'k.fleet.assets', ({ body }) => {
      if (Buffer.from(body).toString().includes('migrating_from')) startNode(engine, OLD_WORKER)
    })
    const { code, stderr } = await fleet(['migrate'])
    stop()
    expect(code).not.toBe(0)
    expect(stderr).toContain('worker "one"')
    expect(await readVersion(engine)).toEqual({ assets: 2, migrating_from: 1 })
    expect(await listStreams(engine)).toEqual([...VERSION_1].sort())
  })

  it('continues a migration that was killed', async () => {
    const { engine, fleet } = await createTenant(server.url)
    await createVersion1(engine)
    const { client, connection, tenant } = engine
    const { streams } = await client.jetstreamManager(connection)
    const current = await engine.last('state', 'k.fleet.assets')
    await engine.replace('state', 'k.fleet.assets', {
      body: JSON.stringify({ assets: 2, migrating_from: 1 }),
      seq: current?.seq ?? 0,
    })
    await streams.add({
      name: `SKILLS_${tenant}_workspaces`,
      subjects: [`sk.${tenant}.p.>`, `sk.${tenant}.q.>`],
      allow_direct: true,
    })
    const status = await fleet(['status'])
    expect(status.code).toBe(1)
    expect(status.stderr).toContain(
      'The migration of the streams of this fleet from version 1 to 2',
    )
    expect(status.stderr).toContain('skills fleet migrate')
    expect((await fleet(['init'])).stderr).toContain('has not ended')
    const { code, stdout } = await fleet(['migrate'])
    expect(code).toBe(0)
    expect(stdout).toContain(`created  SKILLS_${tenant}_jobs\n`)
    expect(stdout).not.toContain('_workspaces')
    expect(await readVersion(engine)).toEqual({ assets: 2 })
    expect((await fleet(['init'])).code).toBe(0)
  })

  it('refuses streams of a newer version, and a tenant without streams', async () => {
    const { engine, fleet } = await createTenant(server.url)
    const missing = await fleet(['migrate'])
    expect(missing.code).not.toBe(0)
    expect(missing.stderr).toContain('skills fleet init')
    await fleet(['init'])
    const current = await engine.last('state', 'k.fleet.assets')
    const body = JSON.stringify({ assets: 3 })
    await engine.replace('state', 'k.fleet.assets', { body, seq: current?.seq ?? 0 })
    const newer = await fleet(['migrate'])
    expect(newer.code).not.toBe(0)
    expect(newer.stderr).toContain('Update this program')
  })
})

describe('streams of an older version', () => {
  it('are refused by init, which changes nothing', async () => {
    const { engine, fleet } = await createTenant(server.url)
    await createVersion1(engine)
    const { code, stderr } = await fleet(['init'], { env: { SKILLS_STORE_RUNS_TTL: '1d' } })
    expect(code).not.toBe(0)
    expect(stderr).toContain('The streams of this fleet have version 1; this program needs 2')
    expect(stderr).toContain('skills fleet migrate')
    expect(await listStreams(engine)).toEqual([...VERSION_1].sort())
    expect(await readConfig(engine, 'runs')).toMatchObject({ max_age: LIFETIME_NS })
  })

  it('are refused by nodes, with the command that migrates them', async () => {
    const { engine, fleet } = await createTenant(server.url)
    await createVersion1(engine)
    const { code, stderr } = await fleet(['jobs'])
    expect(code).not.toBe(0)
    expect(stderr).toContain('skills fleet migrate')
    const again = await openEngine({
      servers: server.url,
      name: 'again',
      tenant: engine.tenant,
      patienceMs: 1000,
    })
    const { checkAssets } = await import('../../../src/fleet/engine/assets-version.ts')
    await expect(checkAssets(again)).rejects.toMatchObject({
      hint: expect.stringContaining('skills fleet migrate') as unknown,
    })
    await again.close()
  })
})
