// @module-tag slow
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:https'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { connect } from '@nats-io/transport-node'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { loadConfig, type LoadedConfig } from '../../../src/core/config/load-config.ts'
import { createPolicySource } from '../../../src/core/policy/load-policy.ts'
import { createRuntime } from '../../../src/core/runtime.ts'
import { openFront } from '../../../src/fleet/front/open-front.ts'
import type { StartMessage } from '../../../src/fleet/messages/call-messages.ts'
import { createIdentity } from '../../../src/fleet/node/identity.ts'
import { openWorker } from '../../../src/fleet/worker/open-worker.ts'
import { serve } from '../../../src/server/serve.ts'
import { SILENT_LOG } from '../../../src/server/telemetry/request-log.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'
import { INHERITED_ENV } from '../../helpers/inherited-env.ts'
import { createActionSkill, prefixPaths } from '../../helpers/projects.ts'
import { createCallers } from '../../helpers/server.ts'
import { createFolder, writeTree } from '../../helpers/skills.ts'
import { CERTIFICATE, KEY } from '../../core/sandbox/egress/certificate.ts'
import { connectEngine, initStreams } from '../objects/open-test-engine.ts'

const SECRET = 'hunter2-of-the-front-0123456789'
const UNDECLARED = 'undeclared-of-the-front-0123456789'
const CODE = `import os
def main(args):
    value = os.environ.get("API_KEY", "")
    print("the key is", value)
    return {"length": len(value), "echo": value, "other": "OTHER_KEY" in os.environ}
`
const CALLING_CODE = `import os, urllib.request
def main(args):
    value = os.environ["API_KEY"]
    request = urllib.request.Request(args["url"], headers={"Authorization": "Bearer " + value})
    return {"key": value, "echo": urllib.request.urlopen(request).read().decode()}
`

interface TestNodes {
  dir: string
  call: ReturnType<typeof createCallers>['call']
  result: ReturnType<typeof createCallers>['result']
  /** Everything that was sent between nodes and to the engine. */
  messages: { subject: string; text: string }[]
}

let tenants = 0

describe('secrets of a front', () => {
  let server: TestServer
  beforeAll(async () => {
    server = await startNatsServer()
  })
  afterAll(async () => await server.close())

  /** A front with secrets, and workers without. */
  async function startNodes(
    workerSecrets = '',
    { hasKey = true, api }: { hasKey?: boolean; api?: string } = {},
  ): Promise<TestNodes> {
    const tenant = `secrets${++tenants}`
    await initStreams(await connectEngine(server, tenant))
    const dir = createFolder()
    const toml =
      api === undefined
        ? '\n[permissions]\nsecrets = ["API_KEY"]\n'
        : `\n[permissions]\nnetwork = ["${api}"]\n[permissions.secrets]\nAPI_KEY = "${api}"\n`
    writeTree(dir, {
      ...prefixPaths('skills/keyed', { ...createActionSkill('demo.keyed', { toml }) }),
      'skills/keyed/code/main.py': api === undefined ? CODE : CALLING_CODE,
      'authority.pem': CERTIFICATE,
    })
    writeFileSync(join(dir, 'front.env'), `API_KEY=${SECRET}\nOTHER_KEY=${UNDECLARED}\n`)
    writeFileSync(join(dir, 'worker.env'), workerSecrets)
    const key = join(dir, 'fleet.key')
    writeFileSync(key, randomBytes(32).toString('base64'), { mode: 0o600 })
    const messages: TestNodes['messages'] = []
    const spy = await connect({ servers: server.url })
    spy.subscribe('>', {
      callback: (_, message) =>
        void messages.push({
          subject: message.subject,
          text: Buffer.from(message.data).toString(),
        }),
    })
    onTestFinished(async () => await spy.close())
    const env = { ...INHERITED_ENV, HOME: dir, SSL_CERT_FILE: join(dir, 'authority.pem') }
    const load = async (name: string, file: string): Promise<LoadedConfig> => {
      const flags = {
        'secrets.file': join(dir, file),
        roots: [join(dir, 'skills')],
        ...(hasKey && { 'fleet.key': key }),
        ...(api !== undefined && { 'run.network.allow_private': [new URL(api).host] }),
      }
      const loaded = await loadConfig({ cwd: dir, env, flags, noFiles: true })
      const directories = { ...loaded.config.directories, data: join(dir, 'nodes', name) }
      return { ...loaded, config: { ...loaded.config, directories } }
    }
    const origins = await load('w1', 'worker.env')
    const worker = await openWorker({
      engine: await connectEngine(server, tenant),
      identity: createIdentity('w1'),
      origins,
      policy: createPolicySource(origins.config),
      build: 'test',
      env,
      cwd: dir,
      allowNetwork: api !== undefined,
      onProblem: () => {},
    })
    const { config } = await load('front', 'front.env')
    const front = await openFront({
      engine: await connectEngine(server, tenant),
      identity: createIdentity('front'),
      config,
      build: 'test',
      hasSeveralCallers: false,
    })
    const runtime = createRuntime({
      config,
      stores: front.stores,
      startDetached: front.startDetached,
    })
    const served = await serve({
      runtime,
      lastGood: undefined,
      host: '127.0.0.1',
      port: 0,
      tokens: undefined,
      noAuth: false,
      allowedHosts: [],
      allowedOrigins: [],
      allowNetwork: api !== undefined,
      log: SILENT_LOG,
      cwd: dir,
      env,
      ...front.serving,
    })
    onTestFinished(async () => {
      await served.stop(0)
      await worker.stop(0)
      await front.close()
    })
    return { dir, messages, ...createCallers(served.url) }
  }

  function findStored(text: string): string[] {
    return readdirSync(server.dir, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .filter((path) => readFileSync(path).includes(text))
  }

  it('reach the run that declares them, and are in no message and no file in clear', async () => {
    const { result, messages } = await startNodes()
    const answer = await result('execute_skill', { name: 'demo.keyed', args: { mark: 'marked-1' } })
    expect(answer).toMatchObject({
      status: 'completed',
      output: { length: SECRET.length, other: false },
    })
    expect(JSON.stringify(answer)).not.toContain(SECRET)
    const start = messages.find(({ subject }) => subject.endsWith('w.w1.start'))
    expect(start?.text).toContain('"sealed"')
    // The control: the spy and the search find what is sent in clear.
    expect(start?.text).toContain('marked-1')
    const end = messages.find(({ subject }) => subject.includes('.r.') || subject.includes('.c.'))
    expect(end).toBeDefined()
    const lengthText = `"length":${SECRET.length}`
    expect(findStored(lengthText).length).toBeGreaterThan(0)
    for (const { text } of messages) {
      expect(text).not.toContain(SECRET)
      expect(text).not.toContain(UNDECLARED)
    }
    expect(findStored(SECRET)).toEqual([])
    expect(findStored(UNDECLARED)).toEqual([])
  })

  it('reach a detached run, and are in no message and no file in clear', async () => {
    const { result, messages } = await startNodes()
    const args = { mark: 'marked-2' }
    const params = { name: 'demo.keyed', args, detach: true }
    const { run_id: id } = await result('execute_skill', params)
    const read = async () => await result('runs', { action: 'get', run_id: id })
    await expect.poll(read, { timeout: 20_000 }).toMatchObject({ status: 'completed' })
    const run = await read()
    expect(run).toMatchObject({ result: { output: { length: SECRET.length, other: false } } })
    expect(JSON.stringify(run)).not.toContain(SECRET)
    const job = messages.find(({ subject }) => subject.endsWith(`c.${String(id)}.0`))
    expect(job?.text).toContain('"cipher":{')
    // The arguments are encrypted with the secrets.
    const inClear = [SECRET, Buffer.from(SECRET).toString('base64').slice(0, 36), 'marked-2']
    for (const { text } of messages.filter(({ subject }) => subject.includes('.c.')))
      for (const each of inClear) expect(text).not.toContain(each)
    for (const { text } of messages) expect(text).not.toContain(SECRET)
    expect(findStored(SECRET)).toEqual([])
    expect(findStored(UNDECLARED)).toEqual([])
    // The control: the search finds the record of the run.
    expect(findStored(String(id)).length).toBeGreaterThan(0)
  })

  it.each([false, true])(
    'with hosts stay in the filter of the worker; detached: %s',
    async (detach) => {
      const received: unknown[] = []
      const upstream = createServer({ key: KEY, cert: CERTIFICATE }, ({ headers }, response) => {
        received.push(headers.authorization)
        response.end(headers.authorization)
      })
      await new Promise<void>((resolve) => upstream.listen(0, '127.0.0.1', resolve))
      onTestFinished(() => void upstream.close())
      const api = `https://localhost:${(upstream.address() as AddressInfo).port}`
      const { result, messages } = await startNodes('', { api })
      const params = { name: 'demo.keyed', args: { url: `${api}/` }, ...(detach && { detach }) }
      const started = await result('execute_skill', params)
      const read = async () => await result('runs', { action: 'get', run_id: started['run_id'] })
      await expect.poll(read, { timeout: 20_000 }).toMatchObject({ status: 'completed' })
      const ended = detach ? (await read())['result'] : started
      const { key, echo } = (ended as { output: { key: string; echo: string } }).output
      expect(received).toEqual([`Bearer ${SECRET}`])
      expect(key).toHaveLength(SECRET.length)
      expect(key).not.toBe(SECRET)
      expect(echo).toBe(`Bearer ${key}`)
      for (const { text } of messages) expect(text).not.toContain(SECRET)
      expect(findStored(SECRET)).toEqual([])
    },
  )

  it('of a skill prevent that it is detached in a fleet without a key', async () => {
    const { call, messages } = await startNodes('', { hasKey: false })
    const answer = await call('execute_skill', { name: 'demo.keyed', args: {}, detach: true })
    expect(JSON.stringify(answer)).toContain('this fleet has no key to encrypt queued runs with')
    expect(messages.filter(({ subject }) => /\.c\.run_\w+\.0$/.test(subject))).toEqual([])
  })

  it('are redacted in the logs of the run', async () => {
    const { result } = await startNodes()
    const answer = await result('execute_skill', { name: 'demo.keyed', args: {} })
    const logs = await result('runs', { action: 'logs', run_id: answer['run_id'] })
    expect(JSON.stringify(logs)).toContain('the key is')
    expect(JSON.stringify(logs)).not.toContain(SECRET)
  })

  it('win over those of the worker, whose own are used without a front that has some', async () => {
    const own = 'own-of-the-worker'
    const { result, dir } = await startNodes(`API_KEY=${own}\n`)
    const first = await result('execute_skill', { name: 'demo.keyed', args: {} })
    expect(first).toMatchObject({ output: { length: SECRET.length } })
    writeFileSync(join(dir, 'front.env'), '')
    const second = await result('execute_skill', { name: 'demo.keyed', args: {} })
    expect(second).toMatchObject({ output: { length: own.length } })
  })

  it('are not given to code that mounts the skill', async () => {
    const { result, messages } = await startNodes()
    const code = 'import os\ndef main(args): return {"has": "API_KEY" in os.environ}\n'
    const params = { language: 'python', code, mount_skills: ['demo.keyed'], args: {} }
    expect(await result('run_code', params)).toMatchObject({ output: { has: false } })
    const start = messages.find(({ subject }) => subject.endsWith('w.w1.start'))
    expect(start?.text).toContain('mount_skills')
    expect(start?.text).not.toContain('"sealed"')
  })

  it('of a captured message cannot be used in another call', async () => {
    const { result, messages } = await startNodes()
    await result('execute_skill', { name: 'demo.keyed', args: {} })
    const captured = messages.find(({ subject }) => subject.endsWith('w.w1.start'))
    const original = JSON.parse(captured?.text ?? '') as StartMessage
    const attacker = await connectEngine(server, `secrets${tenants}`)
    const send = async (change: Partial<StartMessage>): Promise<unknown> => {
      const token = `t${Math.random().toString(36).slice(2)}`
      const ended = new Promise<unknown>((done) => {
        attacker.subscribe(`a.attacker.${token}`, ({ body }) => {
          const reply = JSON.parse(Buffer.from(body).toString()) as { t: string; answer?: unknown }
          if (!['accepted', 'fact', 'ending'].includes(reply.t)) done(reply)
        })
      })
      await attacker.connection.flush()
      const message = { ...original, front: 'attacker', token, ...change }
      attacker.publish('w.w1.start', JSON.stringify(message))
      return await ended
    }
    const refused = {
      t: 'end',
      answer: { error: { message: 'The secrets of this call are for another worker' } },
    }
    // The same message again starts nothing: its end is that of the run.
    const repeated = await send({})
    expect(repeated).toMatchObject({ t: 'end', answer: { result: { status: 'completed' } } })
    const call = original.call.replace(/.$/, (last) => (last === '1' ? '2' : '1'))
    expect(await send({ call })).toMatchObject(refused)
    expect(await send({ attempt: 2 })).toMatchObject(refused)
  })
})
