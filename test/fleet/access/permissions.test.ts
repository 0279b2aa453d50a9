// @module-tag slow
// @module-tag nats-server
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect, nkeyAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { formatAccounts } from '../../../src/cli/fleet/access/keys.ts'
import { createKey } from '../../../src/fleet/access/node-keys.ts'
import type { KeyRole, NodeKey } from '../../../src/fleet/access/role-permissions.ts'
import { CATALOG_PATTERN } from '../../../src/fleet/catalog/catalog-entry.ts'
import { nameStream } from '../../../src/fleet/engine/assets.ts'
import { initAssets } from '../../../src/fleet/engine/init-assets.ts'
import type { EngineMessage } from '../../../src/fleet/engine/engine.ts'
import { openEngine, type NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { nameEndAck, nameEndAcks } from '../../../src/fleet/messages/end-ack.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'

const NODES: readonly [KeyRole, string][] = [
  ['operator', 'admin'],
  ['front', 'front-1'],
  ['front', 'front-2'],
  ['worker', 'worker-1'],
  ['worker', 'worker-2'],
]
const DAY_MS = 86_400_000

interface NodeAccess {
  key: NodeKey
  seed: string
}

/** A server with permissions, or the control: one without any. */
interface OpenedServer {
  server: TestServer
  hasPermissions: boolean
}

describe('the permissions of keys', () => {
  const nodes = new Map<string, NodeAccess>()
  let secured: OpenedServer
  let open: OpenedServer

  beforeAll(async () => {
    for (const [role, name] of NODES) nodes.set(name, await createKey(role, name))
    const accounts = formatAccounts(
      'main',
      [...nodes.values()].map(({ key }) => key),
    )
    secured = { server: await startNatsServer(accounts), hasPermissions: true }
    open = { server: await startNatsServer(), hasPermissions: false }
    for (const each of [secured, open]) {
      const engine = await openNode(each, 'admin')
      const lifetimes = { runsMs: DAY_MS, blobsMs: DAY_MS, outputsMs: DAY_MS }
      await initAssets(engine, { lifetimes, replicas: 1 })
      await engine.close()
    }
  })
  afterAll(async () => {
    await Promise.all([secured, open].map(async ({ server }) => await server.close()))
  })

  const access = (name: string) => nodes.get(name) as NodeAccess

  async function openNode({ server, hasPermissions }: OpenedServer, name: string) {
    mkdirSync(join(server.dir, 'seeds'), { recursive: true })
    const seedFile = join(server.dir, 'seeds', name)
    writeFileSync(seedFile, access(name).seed, { mode: 0o600 })
    return await openEngine({
      servers: server.url,
      name,
      tenant: 'main',
      patienceMs: 1000,
      reads: name === 'admin' ? 'consumers' : 'requests',
      ...(hasPermissions && { seedFile }),
    })
  }

  async function useNode(at: OpenedServer, name: string): Promise<NatsEngine> {
    const engine = await openNode(at, name)
    onTestFinished(async () => await engine.close())
    return engine
  }

  /** A plain connection with the key, as that of a thief. */
  async function connectAs({ server, hasPermissions }: OpenedServer, name: string) {
    const { seed, key } = access(name)
    const connection: NatsConnection = await connect({
      servers: server.url,
      ...(hasPermissions && {
        authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
        inboxPrefix: `_INBOX.${key.publicKey}`,
      }),
    })
    onTestFinished(async () => await connection.close())
    return connection
  }

  /** True if a message of one node arrives at a subscription of another. */
  async function arrives(
    at: OpenedServer,
    [from, to]: readonly [string, string],
    [subject, pattern = subject]: readonly [string, string?],
  ): Promise<boolean> {
    const sender = await connectAs(at, from)
    const receiver = await connectAs(at, to)
    let isHeard = false
    receiver.subscribe(pattern, { callback: (error) => void (isHeard ||= error === null) })
    await receiver.flush()
    sender.publish(subject, 'test')
    await sender.flush()
    await receiver.flush()
    return isHeard
  }

  it.each([
    ['front-1', 'worker-1', 'sk.main.w.worker-1.start'],
    ['front-2', 'worker-2', 'sk.main.w.worker-2.ctl'],
    ['worker-2', 'worker-1', 'sk.main.w.worker-1.ask'],
    ['worker-1', 'front-1', 'sk.main.a.front-1.token'],
    ['worker-1', 'front-2', 'sk.main.hb.w.worker-1'],
    ['front-1', 'front-2', 'sk.main.f.front-2.ctl'],
    ['front-1', 'front-2', 'sk.main.f.front-2.http'],
    ['front-2', 'front-1', 'sk.main.x.front-1.token'],
    ['front-1', 'worker-2', 'sk.main.hb.f.front-1'],
    ['admin', 'worker-1', 'sk.main.w.worker-1.ctl'],
  ])('%s sends %s messages of %s', async (from, to, subject) => {
    expect(await arrives(secured, [from, to], [subject])).toBe(true)
  })

  it.each<[string, string, string, string?]>([
    // Messages that a node must not send.
    ['worker-1', 'worker-2', 'sk.main.w.worker-2.start'],
    ['worker-1', 'worker-2', 'sk.main.w.worker-2.ctl'],
    ['worker-1', 'front-1', 'sk.main.f.front-1.ctl'],
    ['worker-1', 'front-1', 'sk.main.f.front-1.http'],
    ['worker-1', 'front-1', 'sk.main.x.front-1.token'],
    ['worker-1', 'front-1', 'sk.main.hb.w.worker-2'],
    ['worker-1', 'front-1', 'sk.main.hb.f.front-2'],
    ['front-1', 'front-2', 'sk.main.hb.f.front-2'],
    ['front-1', 'front-2', 'sk.main.hb.w.worker-1'],
    ['worker-1', 'front-1', 'sk.other.a.front-1.token'],
    ['worker-1', 'front-1', 'sk.main.st.front-1.worker-1.token'],
    ['front-2', 'front-1', 'sk.main.st.front-1.worker-1.token'],
    // Messages that a node must not read.
    ['worker-2', 'worker-1', 'sk.main.a.front-1.token', 'sk.main.a.>'],
    ['worker-2', 'front-2', 'sk.main.a.front-1.token', 'sk.main.a.>'],
    ['front-1', 'worker-1', 'sk.main.w.worker-2.start', 'sk.main.w.>'],
    ['front-1', 'front-2', 'sk.main.x.front-1.token', 'sk.main.x.>'],
    ['worker-2', 'worker-1', 'sk.main.a.front-1.token', '>'],
    ['admin', 'front-2', 'sk.main.st.front-1.worker-1.token', 'sk.main.st.>'],
    ['admin', 'worker-2', 'sk.main.st.front-1.worker-1.token', 'sk.main.st.>'],
    ['front-1', 'worker-1', '_INBOX.someone.1', '_INBOX.>'],
  ])('%s cannot send, or %s cannot read, %s', async (from, to, ...subjects) => {
    expect(await arrives(secured, [from, to], subjects)).toBe(false)
    expect(await arrives(open, [from, to], subjects)).toBe(true)
  })

  it('the front of a call hears of the engine that its end is stored', async () => {
    const ackAt = nameEndAck({ front: 'front-1', token: 'token' }, 'worker-1')
    const heard: string[] = []
    for (const name of ['front-1', 'front-2']) {
      const engine = await useNode(secured, name)
      const note = ({ subject }: EngineMessage) => void heard.push(`${name} ${subject}`)
      engine.subscribe(nameEndAcks(name), note)
      await engine.connection.flush()
    }
    const worker = await useNode(secured, 'worker-1')
    const end = { body: 'x', ackAt }
    await expect(worker.createWithAck('runs', 'r.acked.end', end)).resolves.toMatchObject({
      isCreated: true,
    })
    await expect.poll(() => heard).toEqual(['front-1 st.front-1.worker-1.token'])
  })

  it('a node whose key has no permission for such an acknowledgement stores the end as well', async () => {
    const ackAt = nameEndAck({ front: 'front-1', token: 'token' }, 'worker-1')
    const thief = await useNode(secured, 'worker-2')
    const end = { body: 'x', ackAt }
    await expect(thief.createWithAck('runs', 'r.unheard.end', end)).resolves.toMatchObject({
      isCreated: true,
    })
    await expect(thief.last('runs', 'r.unheard.end')).resolves.toBeDefined()
  })

  it.each<[string, string, (engine: NatsEngine) => Promise<unknown>]>([
    ['worker-1', 'another chain', async (e) => await e.append('audit', 'au.worker-2.aa', 'x')],
    ['worker-1', 'epochs', async (e) => await e.append('audit', 'au.epochs.all', 'x')],
    ['worker-1', 'grants', async (e) => await e.append('state', 'k.grants.a.b', 'x')],
    ['worker-1', 'the catalog', async (e) => await e.append('state', 'k.catalog.a.b', 'x')],
    ['worker-1', 'tokens', async (e) => await e.append('access', 'ac.tokens.a', 'x')],
    ['worker-1', 'the policy', async (e) => await e.append('access', 'ac.policy.current', 'x')],
    ['worker-1', 'quotas', async (e) => await e.append('state', 'k.quota.rate.a', 'x')],
    ['front-1', 'tokens', async (e) => await e.append('access', 'ac.tokens.a', 'x')],
    ['front-1', 'the policy', async (e) => await e.append('access', 'ac.policy.current', 'x')],
    ['front-1', 'the audit of others', async (e) => await e.append('audit', 'au.front-2.a', 'x')],
  ])('%s cannot write %s', async (name, _, write) => {
    await expect(write(await useNode(secured, name))).rejects.toMatchObject({
      code: 'fleet/unavailable',
      message: expect.stringMatching(/does not allow this node to send to "sk\.main\./) as string,
    })
    await expect(write(await useNode(open, name))).resolves.toBeGreaterThan(0)
  })

  it.each([
    ['worker-1', 'calls'],
    ['worker-1', 'runs'],
    ['worker-1', 'state'],
    ['worker-1', 'skills'],
  ] as const)('%s cannot purge %s', async (name, stream) => {
    const purge = async (at: OpenedServer) => {
      const connection = await connectAs(at, name)
      const manager = await jetstreamManager(connection, { timeout: 1000, checkAPI: false })
      return await manager.streams.purge(nameStream('main', stream), { filter: 'sk.main.none' })
    }
    await expect(purge(secured)).rejects.toThrow()
    await expect(purge(open)).resolves.toMatchObject({ success: true })
  })

  it.each([
    ['worker-1', 'audit'],
    ['front-1', 'audit'],
    // Without its policy, a fleet has fewer restrictions.
    ['worker-1', 'access'],
    ['front-1', 'access'],
  ] as const)('%s cannot purge or delete the stream of %s', async (name, stream) => {
    const connection = await connectAs(secured, name)
    const errors: string[] = []
    void (async () => {
      for await (const { type, ...rest } of connection.status()) {
        if (type === 'error')
          errors.push(JSON.stringify(rest) + String((rest as { error?: unknown }).error))
      }
    })()
    const manager = await jetstreamManager(connection, { timeout: 1000, checkAPI: false })
    await expect(manager.streams.purge(nameStream('main', stream))).rejects.toThrow()
    await expect(manager.streams.delete(nameStream('main', stream))).rejects.toThrow()
    // The permissions refuse it, before the settings of the stream do.
    expect(errors.join('\n')).toContain('STREAM.PURGE')
  })

  it('a worker and a front use the streams as their role needs', async () => {
    const worker = await useNode(secured, 'worker-1')
    const front = await useNode(secured, 'front-1')
    expect(await worker.create('calls', 'c.one.1', '{}')).toMatchObject({ isCreated: true })
    expect(await worker.create('calls', 'c.one.1', '{}')).toMatchObject({ isCreated: false })
    expect(await worker.append('audit', 'au.worker-1.aa', 'x')).toBeGreaterThan(0)
    await worker.create('data', 'd.up.1', 'chunk')
    expect(await front.last('data', 'd.up.1')).toBeDefined()
    expect(await worker.remove('data', 'd.up.1')).toBe(1)
    await front.append('state', 'k.quota.rate.alice', '{}')
    const listed: string[] = []
    for await (const { subject } of front.list('state', 'k.quota.>')) listed.push(subject)
    expect(listed).toEqual(['k.quota.rate.alice'])
    const seen: string[] = []
    onTestFinished(
      await worker.watch('state', CATALOG_PATTERN, ({ subject }) => seen.push(subject)),
    )
    await front.append('state', 'k.catalog.a.b', '{}')
    await expect.poll(() => seen).toContain('k.catalog.a.b')
  })

  it('an answer reaches the node that asked, and no other', async () => {
    const worker = await useNode(secured, 'worker-1')
    const front = await useNode(secured, 'front-1')
    worker.subscribe('w.worker-1.ctl', (message) => message.respond('answer'))
    await worker.connection.flush()
    const answer = await front.request('w.worker-1.ctl', 'ask', 2000)
    expect(Buffer.from(answer).toString()).toBe('answer')
  })
})
