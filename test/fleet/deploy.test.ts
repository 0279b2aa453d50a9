// @module-tag slow
// @module-tag nightly
import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { connect, nkeyAuthenticator, nkeys, type NatsConnection } from '@nats-io/transport-node'
import { jetstreamManager } from '@nats-io/jetstream'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { parse } from 'yaml'
import { formatAccounts } from '../../src/cli/fleet/access/keys.ts'
import { parseKeys } from '../../src/fleet/access/node-keys.ts'
import { nameStream } from '../../src/fleet/engine/assets.ts'
import { initAssets } from '../../src/fleet/engine/init-assets.ts'
import { openEngine, type NatsEngine } from '../../src/fleet/engine/open-engine.ts'
import { createIdentity } from '../../src/fleet/node/identity.ts'
import { Heartbeat } from '../../src/fleet/node/heartbeat.ts'
import { checkCommandLine } from '../docs/command-line.ts'
import { startNatsServer, type TestServer } from '../helpers/fleet/nats-server.ts'
import { INHERITED_ENV } from '../helpers/inherited-env.ts'
import { createFolder } from '../helpers/skills.ts'
import { startServedFleet } from './jobs/served-fleet.ts'

const NODES = ['operator', 'front-1', 'front-2', 'worker-1', 'worker-2'] as const
type NodeName = (typeof NODES)[number]

const CONFIG = read('nats.conf')
const LIFETIMES = { runsMs: 1e8, blobsMs: 1e8, outputsMs: 1e8 }

function read(name: string): string {
  return readFileSync(join('deploy', name), 'utf8')
}

it('nats-server accepts the configuration', () => {
  const dir = createFolder()
  const [crt, key] = [join(dir, 'engine.crt'), join(dir, 'engine.key')]
  const argv = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:prime256v1',
    '-nodes',
  ]
  const files = ['-subj', '/CN=engine', '-out', crt, '-keyout', key]
  const made = spawnSync('openssl', [...argv, ...files])
  expect(made.status, String(made.stderr)).toBe(0)
  const config = join(dir, 'nats.conf')
  writeFileSync(config, CONFIG.replaceAll('/etc/nats', dir).replaceAll('/var/lib/nats', dir))
  const checked = spawnSync('nats-server', ['-t', '-c', config])
  expect(checked.status, String(checked.stderr)).toBe(0)
})

const ACCOUNTS = CONFIG.slice(CONFIG.indexOf('accounts {')).trim()

it('the accounts of the configuration are those that "skills fleet keys config" prints', () => {
  const keys = parseKeys(read('node-keys.txt'), 'node-keys.txt')
  expect(keys.map(({ name }) => name)).toEqual(NODES)
  expect(ACCOUNTS).toBe(formatAccounts('main', keys))
})

/** The accounts of the file, with keys whose seeds are known instead of those whose seeds were not kept. */
function replaceKeys(): { accounts: string; seeds: Map<string, Uint8Array> } {
  const seeds = new Map<string, Uint8Array>()
  let accounts = ACCOUNTS
  for (const { name, publicKey } of parseKeys(read('node-keys.txt'), 'node-keys.txt')) {
    const pair = nkeys.createUser()
    seeds.set(name, pair.getSeed())
    accounts = accounts.replaceAll(publicKey, pair.getPublicKey())
  }
  return { accounts, seeds }
}

describe('the permissions of the configuration', () => {
  let seeds: ReadonlyMap<string, Uint8Array>
  let server: TestServer

  async function openNode(name: NodeName): Promise<NatsEngine> {
    const seedFile = join(server.dir, `${name}.seed`)
    writeFileSync(seedFile, seeds.get(name) ?? '', { mode: 0o600 })
    const options = { servers: server.url, name, tenant: 'main', patienceMs: 2000 }
    const reads = name === 'operator' ? 'consumers' : 'requests'
    return await openEngine({ ...options, seedFile, reads })
  }

  /** Closed at the end of the test. */
  async function useNode(name: NodeName): Promise<NatsEngine> {
    const engine = await openNode(name)
    onTestFinished(async () => await engine.close())
    return engine
  }

  beforeAll(async () => {
    const { accounts, seeds: replaced } = replaceKeys()
    seeds = replaced
    server = await startNatsServer(accounts)
    const operator = await openNode('operator')
    await initAssets(operator, { lifetimes: LIFETIMES, replicas: 1 })
    await operator.close()
  })
  afterAll(async () => await server.close())

  async function connectAs(name: NodeName): Promise<NatsConnection> {
    const authenticator = nkeyAuthenticator(seeds.get(name))
    const pair = nkeys.fromSeed(seeds.get(name) ?? new Uint8Array())
    const inboxPrefix = `_INBOX.${pair.getPublicKey()}`
    const connection = await connect({ servers: server.url, authenticator, inboxPrefix })
    onTestFinished(async () => await connection.close())
    return connection
  }

  /** True if a message of the sender arrives at the receiver. */
  async function arrives(from: NodeName, to: NodeName, subject: string): Promise<boolean> {
    const [sender, receiver] = [await connectAs(from), await connectAs(to)]
    let isHeard = false
    receiver.subscribe(subject, { callback: (error) => void (isHeard ||= error === null) })
    await receiver.flush()
    sender.publish(subject, 'test')
    // The engine has handled the message when it answers the sender, and delivered it when the receiver's
    // own request was answered after it.
    await sender.flush()
    await receiver.flush()
    return isHeard
  }

  it.each<[NodeName, NodeName, string]>([
    ['front-1', 'worker-1', 'sk.main.w.worker-1.start'],
    ['front-2', 'worker-2', 'sk.main.w.worker-2.ctl'],
    ['worker-1', 'front-1', 'sk.main.a.front-1.1'],
    ['worker-1', 'front-2', 'sk.main.hb.w.worker-1'],
    ['front-1', 'worker-2', 'sk.main.hb.f.front-1'],
  ])('%s sends %s messages of %s', async (from, to, subject) => {
    expect(await arrives(from, to, subject)).toBe(true)
  })

  it.each<[NodeName, NodeName, string]>([
    ['worker-1', 'worker-2', 'sk.main.w.worker-2.start'],
    ['worker-1', 'worker-2', 'sk.main.w.worker-2.ctl'],
    ['worker-1', 'front-1', 'sk.main.hb.w.worker-2'],
    ['worker-1', 'worker-2', 'sk.main.hb.f.front-1'],
    ['front-1', 'worker-1', 'sk.main.hb.f.front-2'],
    ['front-2', 'worker-1', 'sk.main.w.worker-2.start'],
    ['worker-1', 'front-1', 'sk.main.a.front-2.1'],
  ])('%s cannot send, or %s cannot receive, %s', async (from, to, subject) => {
    expect(await arrives(from, to, subject)).toBe(false)
  })

  it('a worker writes the fence and the end of a call, and its own chain only', async () => {
    const worker = await useNode('worker-1')
    expect(await worker.create('calls', 'c.one.1', '{}')).toMatchObject({ isCreated: true })
    expect(await worker.create('runs', 'r.one.end', '{}')).toMatchObject({ isCreated: true })
    expect(await worker.append('audit', 'au.worker-1.aa', '{}')).toBeGreaterThan(0)
    expect(await worker.last('calls', 'c.one.1')).toBeDefined()
    await expect(worker.append('audit', 'au.worker-2.aa', '{}')).rejects.toThrow()
    await expect(worker.append('state', 'k.grants.a.b', '{}')).rejects.toThrow()
    await expect(worker.append('state', 'k.catalog.a.b', '{}')).rejects.toThrow()
  })

  it.each<NodeName>(['worker-1', 'front-1'])('%s reports its state', async (name) => {
    const node = await useNode(name)
    const letter = name === 'front-1' ? 'f' : 'w'
    const other = await useNode('operator')
    const heard = new Promise<void>((done) => void other.subscribe('hb.>', () => done()))
    await other.connection.flush()
    const { start } = createIdentity(name)
    const describeNode = () => ({ node: name, start }) as never
    const heartbeat = new Heartbeat(node, `hb.${letter}.${name}`, describeNode)
    onTestFinished(() => heartbeat.stop())
    await heard
  })

  it.each<NodeName>(['worker-1', 'front-1'])(
    '%s cannot delete or purge what it must not',
    async (name) => {
      const manager = await jetstreamManager(await connectAs(name), {
        timeout: 500,
        checkAPI: false,
      })
      const { streams } = manager
      await expect(streams.delete(nameStream('main', 'data'))).rejects.toThrow()
      await expect(streams.purge(nameStream('main', 'calls'))).rejects.toThrow()
      await expect(streams.purge(nameStream('main', 'audit'))).rejects.toThrow()
      await expect(streams.deleteMessage(nameStream('main', 'runs'), 1)).rejects.toThrow()
      await expect(streams.add({ name: 'other', subjects: ['other'] })).rejects.toThrow()
    },
  )

  it('an operator lists, measures and purges', async () => {
    const operator = await useNode('operator')
    await operator.append('state', 'k.catalog.a.b', '{}')
    expect(await operator.remove('state', 'k.catalog.a.b')).toBe(1)
    expect((await operator.measure('state')).messages).toBeGreaterThan(0)
  })
})

it('a fleet with these keys performs runs, detached runs and commands of sessions', async () => {
  const { accounts, seeds } = replaceKeys()
  const readSeed = (name: string) => seeds.get(name) ?? new Uint8Array()
  const served = await startServedFleet({}, { accounts, readSeed })
  const { fleet } = served
  const first = await served.startWorker('worker-1')
  const { alice } = await served.startFront('front-1')
  const exec = async (command: string) =>
    await alice.call('workspace_exec', { session: 's', command })

  expect(await fleet('push', resolve('skills/greet'))).toMatchObject({
    skills: [{ name: 'examples.greet', state: 'pushed' }],
  })
  const call = { name: 'examples.greet', args: { name: 'Ada' } }
  await expect.poll(async () => (await alice.skills({}).next()).value?.name).toBe('examples.greet')
  expect(await alice.executeSkill(call)).toMatchObject({ status: 'completed' })

  const content = Buffer.alloc(3 * 1024 ** 2, 'blob')
  const { blob_id: id } = await alice.uploadBlob(content, { kind: 'application/octet-stream' })
  const { stream } = await alice.downloadBlob(id)
  expect(content.equals(Buffer.from(await new Response(stream).arrayBuffer()))).toBe(true)

  const shell = { runtime: 'shell', code: 'echo done' } as const
  expect(await alice.execute(shell)).toMatchObject({ status: 'success' })
  const { runId = '' } = await alice.execute({ ...shell, detach: true })
  expect(await alice.waitForRun(runId)).toMatchObject({ status: 'completed', log_bytes: 5 })

  await exec('echo kept > file')
  await served.startWorker('worker-2')
  const ended = new Promise((done) => first.once('exit', done))
  await fleet('drain', 'worker-1')
  await ended
  expect(await exec('cat file')).toMatchObject({ output: 'kept\n' })

  // Its chain of the audit continues that of its former start.
  await served.startWorker('worker-1')
  await fleet('drain', 'worker-2')
  expect(await alice.execute(shell)).toMatchObject({ status: 'success' })
  expect(await exec('cat file')).toMatchObject({ output: 'kept\n' })
  // Nodes and operator did nothing that their permissions refuse.
  expect(served.readEngineLog()).not.toContain('Violation')
}, 180_000)

interface Service {
  image: string
  command?: string[]
  entrypoint?: string[]
  hostname?: string
  volumes?: string[]
}

describe('compose.yaml', () => {
  const { services } = parse(read('compose.yaml'), { merge: true }) as {
    services: Record<string, Service>
  }
  const nodes = Object.entries(services).filter(
    ([name, { image }]) => image === 'skills' && name !== 'setup',
  )

  it.each(nodes)('the command of %s exists', async (_name, { entrypoint, command = [] }) => {
    const line = [...(entrypoint ?? ['skills']), ...command].join(' ').replaceAll('=', ' ')
    const shown = line.replace('${SKILLS_HOST:-localhost}', 'localhost')
    expect(await checkCommandLine(shown)).toBeUndefined()
  })

  it('each node has its own name and key', () => {
    for (const [name, { hostname, volumes }] of nodes) {
      const isOperator = ['init', 'operator'].includes(name)
      const key = isOperator ? 'operator' : name
      if (!isOperator) expect(hostname).toBe(name)
      expect(volumes).toEqual([`./secrets/${key}:/etc/skills:ro`])
      expect(NODES).toContain(key)
    }
  })
})

describe('setup.sh', () => {
  const dir = mkdtempSync(join(tmpdir(), 'skills-setup-'))
  const bin = join(dir, 'bin')
  afterAll(() => rmSync(dir, { recursive: true }))

  /** Runs the script with the folders of the container in a folder of this test. */
  function runSetup(): string {
    const script = read('setup.sh')
      .replaceAll('/secrets', join(dir, 'secrets'))
      .replaceAll('/deploy/nats.conf', resolve('deploy/nats.conf'))
    const env = { ...INHERITED_ENV, HOME: dir, PATH: `${bin}:${INHERITED_ENV['PATH']}` }
    const { status, stderr } = spawnSync('sh', ['-c', script], { env, encoding: 'utf8' })
    expect([status, stderr.split('\n').filter((line) => !line.startsWith('The seed'))]).toEqual([
      0,
      [''],
    ])
    return readFileSync(join(dir, 'secrets/engine/nats.conf'), 'utf8')
  }

  it('writes secrets that only their owner can read, after an interrupted start too', () => {
    mkdirSync(bin)
    mkdirSync(join(dir, 'secrets/front-1'), { recursive: true })
    writeFileSync(join(dir, 'secrets/front-1/node.seed'), 'of an interrupted start')
    symlinkSync(resolve('bin/skills.js'), join(bin, 'skills'))
    const config = runSetup()
    for (const node of NODES) {
      const seed = readFileSync(join(dir, 'secrets', node, 'node.seed'))
      const publicKey = nkeys.fromSeed(seed.subarray(0, 58)).getPublicKey()
      expect(config).toContain(publicKey)
      const files = readdirSync(join(dir, 'secrets', node)).sort()
      const others = node === 'operator' ? [] : ['fleet.key']
      const tokens = node.startsWith('front') ? ['tokens.txt'] : []
      expect(files).toEqual(['ca.crt', ...others, 'node.seed', ...tokens])
      for (const file of files)
        expect(statSync(join(dir, 'secrets', node, file)).mode & 0o077).toBe(0)
    }
    expect(runSetup()).toBe(config)
  })

  it('writes a configuration that nats-server accepts', () => {
    const config = join(dir, 'nats.conf')
    const paths = (text: string) =>
      text.replaceAll('/etc/nats', join(dir, 'secrets/engine')).replaceAll('/var/lib/nats', dir)
    writeFileSync(config, paths(readFileSync(join(dir, 'secrets/engine/nats.conf'), 'utf8')))
    const checked = spawnSync('nats-server', ['-t', '-c', config], { encoding: 'utf8' })
    expect([checked.status, checked.stderr]).toEqual([0, expect.stringContaining('is valid')])
  })
})

describe.each(['skills-front@.service', 'skills-worker@.service'])('%s', (file) => {
  const text = read(file)
  const command = /^ExecStart=\S*\/(skills .*)$/m.exec(text)?.[1] ?? ''

  it('starts a command that exists', async () => {
    const line = command
      .replaceAll('%i', 'one')
      .replace('${SKILLS_FLEET_SERVERS}', 'nats://localhost')
    expect(await checkCommandLine(line)).toBeUndefined()
  })

  it('is not killed before its runs had their time', () => {
    const grace = Number(/--grace (\d+)s/.exec(command)?.[1])
    const timeout = Number(/^TimeoutStopSec=(\d+)$/m.exec(text)?.[1])
    // A worker gives cancelled runs the grace again.
    expect(timeout).toBeGreaterThan(file.includes('worker') ? 2 * grace : grace + 5)
    expect(text).toContain('KillMode=mixed')
    expect(text).toContain('Delegate=yes')
  })
})
