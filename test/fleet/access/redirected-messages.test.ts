// @module-tag slow
// @module-tag nightly
import { createHash } from 'node:crypto'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect, nkeyAuthenticator, type NatsConnection } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parseRestrictions, POLICY_SUBJECT } from '../../../src/fleet/access/stored-policy.ts'
import { nameTokenSubject, readTokenEntry } from '../../../src/fleet/access/token-entry.ts'
import type { StoredMessage } from '../../../src/fleet/engine/engine.ts'
import { SCOPES } from '../../../src/server/auth/caller.ts'
import { formatAccounts } from '../../../src/cli/fleet/access/keys.ts'
import { createKey } from '../../../src/fleet/access/node-keys.ts'
import type { KeyRole, NodeKey } from '../../../src/fleet/access/role-permissions.ts'
import { nameStream } from '../../../src/fleet/engine/assets.ts'
import { initAssets } from '../../../src/fleet/engine/init-assets.ts'
import { openEngine, type NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'

const NODES: readonly [KeyRole, string][] = [
  ['operator', 'admin'],
  ['front', 'front-1'],
  ['worker', 'worker-1'],
  ['worker', 'worker-2'],
]
const DAY_MS = 86_400_000
const DATA = nameStream('main', 'data')
/** Requests that make the engine send the bytes of a stored message to a subject of the sender's choice. */
const RIGHTS = [
  `$JS.API.CONSUMER.CREATE.${DATA}.>`,
  `$JS.API.CONSUMER.MSG.NEXT.${DATA}.>`,
  `$JS.API.DIRECT.GET.${DATA}`,
]
const TARGETS = {
  'a call for another worker': 'sk.main.w.worker-2.start',
  'a token': `sk.main.${nameTokenSubject('evil')}`,
  'the policy': 'sk.main.ac.policy.current',
} as const

interface Attack {
  /** The node whose key was stolen. */
  thief: string
  redirect: Redirect
  subject: string
}

/** Sends the stored message of the attacker to a subject. */
type Redirect = (connection: NatsConnection, subject: string) => void

/** Creates a consumer of the attacker's message, by the names of this request before and after 2.9. */
function createConsumer(connection: NatsConnection, options: object): void {
  const subject = 'sk.main.d.evil.0'
  const config = {
    durable_name: 'evil',
    filter_subject: subject,
    deliver_policy: 'all',
    replay_policy: 'instant',
    ...options,
  }
  const create = JSON.stringify({ stream_name: DATA, config })
  connection.publish(`$JS.API.CONSUMER.CREATE.${DATA}.evil.${subject}`, create)
  connection.publish(`$JS.API.CONSUMER.DURABLE.CREATE.${DATA}.evil`, create)
}

const redirectByPush: Redirect = (connection, subject) => {
  // The engine sends while a subscription has exactly this subject.
  connection.subscribe(subject, { callback: () => {} })
  createConsumer(connection, { deliver_subject: subject, ack_policy: 'none' })
}

const redirectByPull: Redirect = (connection, subject) => {
  createConsumer(connection, { ack_policy: 'explicit' })
  const body = JSON.stringify({ batch: 1, expires: 2e9 })
  connection.publish(`$JS.API.CONSUMER.MSG.NEXT.${DATA}.evil`, body, { reply: subject })
}

const redirectByDirectRead: Redirect = (connection, subject) => {
  const body = JSON.stringify({ last_by_subj: 'sk.main.d.evil.0' })
  connection.publish(`$JS.API.DIRECT.GET.${DATA}`, body, { reply: subject })
}

describe('a stored message of a stolen key', () => {
  const nodes = new Map<string, { key: NodeKey; seed: string }>()
  let secured: TestServer
  /** The control: nodes have the rights that they must not have. */
  let tooWide: TestServer

  beforeAll(async () => {
    for (const [role, name] of NODES) nodes.set(name, await createKey(role, name))
    const accounts = formatAccounts(
      'main',
      [...nodes.values()].map(({ key }) => key),
    )
    const added = RIGHTS.map((right) => `"${right}"`).join('\n')
    const wide = accounts
      .replaceAll('publish: [', `publish: [\n${added}`)
      .replaceAll('subscribe: [', 'subscribe: [\n"sk.main.ac.>"')
    secured = await startNatsServer(accounts)
    tooWide = await startNatsServer(wide)
    for (const server of [secured, tooWide]) {
      const engine = await openAdmin(server)
      const lifetimes = { runsMs: DAY_MS, blobsMs: DAY_MS, outputsMs: DAY_MS }
      await initAssets(engine, { lifetimes, replicas: 1 })
      await engine.close()
    }
  })
  afterAll(async () => {
    await Promise.all([secured, tooWide].map(async (server) => await server.close()))
  })

  async function openAdmin(server: TestServer): Promise<NatsEngine> {
    const seedFile = join(server.dir, 'admin.seed')
    writeFileSync(seedFile, nodes.get('admin')?.seed ?? '', { mode: 0o600 })
    const options = { servers: server.url, name: 'admin', tenant: 'main', patienceMs: 2000 }
    return await openEngine({ ...options, seedFile })
  }

  async function connectAs(server: TestServer, name: string): Promise<NatsConnection> {
    const { seed = '', key } = nodes.get(name) ?? {}
    const connection = await connect({
      servers: server.url,
      authenticator: nkeyAuthenticator(new TextEncoder().encode(seed)),
      inboxPrefix: `_INBOX.${key?.publicKey}`,
    })
    onTestFinished(async () => await connection.close())
    return connection
  }

  /** True if the message arrives: at the worker, or in the stream of tokens and policy. */
  async function reaches(
    server: TestServer,
    { thief, redirect, subject }: Attack,
    tries = 10,
  ): Promise<boolean> {
    const admin = await openAdmin(server)
    onTestFinished(async () => await admin.close())
    const body = `evil ${thief} ${redirect.name} ${subject}`
    const stolen = await connectAs(server, thief)
    const receiver = await connectAs(server, 'worker-2')
    let isReceived = false
    receiver.subscribe('sk.main.w.worker-2.start', {
      callback: (error, message) => void (isReceived ||= !error && message.string() === body),
    })
    await receiver.flush()
    await admin.remove('data', 'd.evil.0')
    await stolen.request('sk.main.d.evil.0', body)
    redirect(stolen, subject)
    await stolen.flush()
    const { streams, consumers } = await admin.client.jetstreamManager(admin.connection)
    const isStored = async () => {
      const { lastSeq: seq } = await admin.measure('access')
      if (seq === 0) return false
      const stored = await streams.getMessage(nameStream('main', 'access'), { seq })
      // nats-server 2.9 stores a message of a consumer in the other stream under its old subject.
      const isForged = redirect !== redirectByDirectRead || stored?.subject === subject
      return isForged && stored?.string() === body
    }
    const arrives = async () => isReceived || (await isStored())
    // The engine delivers after its answers: the refused message has the time that the control needs.
    for (let attempt = 0; attempt < tries && !(await arrives()); attempt++) {
      await new Promise((done) => setTimeout(done, 50))
    }
    await consumers.delete(DATA, 'evil').catch(() => {})
    return await arrives()
  }

  const ways = [
    { way: 'a push consumer', redirect: redirectByPush },
    { way: 'a pull consumer', redirect: redirectByPull },
    { way: 'a direct read', redirect: redirectByDirectRead },
  ]
  const attacks = Object.entries(TARGETS).flatMap(([title, subject]) =>
    ['worker-1', 'front-1'].flatMap((thief) =>
      ways.map((each) => ({ ...each, title, subject, thief })),
    ),
  )

  it.each(attacks)('of the key of $thief does not become $title by $way', async (attack) => {
    expect(await reaches(secured, attack)).toBe(false)
    expect(await reaches(tooWide, attack, 200)).toBe(true)
  })

  it.each(['worker-1', 'front-1'])('%s gets the refusal of the engine', async (name) => {
    const connection = await connectAs(secured, name)
    const errors: string[] = []
    void (async () => {
      for await (const status of connection.status()) {
        if (status.type === 'error') errors.push(String(status.error))
      }
    })()
    redirectByPush(connection, TARGETS['a token'])
    redirectByDirectRead(connection, TARGETS['a token'])
    await connection.flush()
    await expect.poll(() => errors.join('\n')).toContain('CONSUMER.CREATE')
    await expect.poll(() => errors.join('\n')).toContain('DIRECT.GET')
    // The log of the engine has it, for tests that expect no refusal.
    expect(readFileSync(join(secured.dir, 'nats.log'), 'utf8')).toContain('Violation')
  })

  it('of a worker that becomes a token or the policy in an answer of the engine gives no access', async () => {
    const admin = await openAdmin(secured)
    onTestFinished(async () => await admin.close())
    const stolen = await connectAs(secured, 'worker-1')
    const digest = createHash('sha256').update('secret').digest('hex')
    const stored = JSON.stringify({ digest, scopes: [...SCOPES], text: '', by: '', at: '' })
    await admin.remove('data', 'd.evil.0')
    await stolen.request('sk.main.d.evil.0', stored)
    const read = JSON.stringify({ last_by_subj: 'sk.main.d.evil.0' })
    const answer = async (subject: string) => {
      stolen.publish(`$JS.API.STREAM.MSG.GET.${DATA}`, read, { reply: `sk.main.${subject}` })
      await expect.poll(async () => await admin.last('access', subject)).toBeDefined()
      return (await admin.last('access', subject)) as StoredMessage
    }
    expect(readTokenEntry(await answer(nameTokenSubject('damaged')))).toBeUndefined()
    const policy = await answer(POLICY_SUBJECT)
    expect(() => parseRestrictions(policy)).toThrow('damaged')
  })
})
