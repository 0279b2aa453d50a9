// @module-tag slow
// @module-tag nightly
import { readdirSync, statSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { formatAccounts } from '../../../src/cli/fleet/access/keys.ts'
import { createKey } from '../../../src/fleet/access/node-keys.ts'
import { installProgram } from '../../helpers/child.ts'
import { startNatsServer } from '../../helpers/fleet/nats-server.ts'
import { createFolder } from '../../helpers/skills.ts'
import { TestPod } from './pod.ts'
import { findMissingPackage, useRenderer, type KubernetesObject } from './render-chart.ts'

const SECRETS = {
  key: 'key',
  tokens: 'tokens',
  seeds: { operator: 'operator', front: 'front', workers: 'workers' },
}
const WORKER = 'skills-worker-default-0'
const renderObjects = useRenderer()

async function findPort(): Promise<number> {
  const server = createServer()
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  const { port } = server.address() as AddressInfo
  await new Promise((done) => server.close(done))
  return port
}

async function createSeeds() {
  const operator = await createKey('operator', 'operator')
  const front = await createKey('front', 'front')
  const worker = await createKey('worker', WORKER)
  // Pods of a Deployment have names that change, so the key of fronts is for each name.
  const keys = [operator.key, { ...front.key, name: '*' }, worker.key]
  return { accounts: formatAccounts('main', keys), operator, front, worker }
}

function readMode(path: string): number {
  return statSync(path).mode & 0o777
}

it.skipIf(findMissingPackage() !== undefined)(
  'the commands of the chart make a fleet that performs runs and ends at SIGTERM',
  async () => {
    const { accounts, operator, front, worker } = await createSeeds()
    const engine = await startNatsServer(accounts)
    onTestFinished(async () => await engine.close())
    const token = 'a-token-of-the-test-with-enough-characters'
    const secrets = {
      key: { 'fleet.key': Buffer.alloc(32, 7).toString('base64') },
      tokens: { 'tokens.txt': `${token} ada read,run\n` },
      operator: { 'operator.seed': operator.seed },
      front: { 'front.seed': front.seed },
      workers: { [`${WORKER}.seed`]: worker.seed, 'skills-worker-default-1.seed': 'another' },
    }
    const dir = createFolder()
    installProgram(dir)
    const port = await findPort()
    const replace = {
      '$(SKILLS_FLEET_SERVERS)': engine.url,
      '--host=0.0.0.0': '--host=127.0.0.1',
      '--port=8080': `--port=${port}`,
    }
    const objects = renderObjects({ engine: { servers: [engine.url] }, secrets: SECRETS })
    const bin = join(dir, 'node_modules/.bin')
    const open = (kind: string, name: string) => {
      const object = objects.find((each) => each.kind === kind) as KubernetesObject
      const pod = new TestPod(object, { name, dir: join(dir, name), secrets, replace, bin })
      pod.copyFiles()
      return pod
    }

    const init = open('Job', 'init').start()
    expect(await init.ended, init.stderr()).toBe(0)

    const workerPod = open('StatefulSet', WORKER)
    expect(readdirSync(workerPod.files)).toEqual(['fleet.key', 'node.seed'])
    expect(readMode(join(workerPod.files, 'node.seed'))).toBe(0o400)
    const running = workerPod.start()
    await expect.poll(() => workerPod.probe(), { timeout: 40_000 }).toBe(0)
    expect(workerPod.probe({ SKILLS_FLEET_NAME: 'skills-worker-default-1' })).toBe(1)

    const frontPod = open('Deployment', 'skills-front-7d9f8b6c5-x2x9z')
    const served = frontPod.start()
    const url = `http://127.0.0.1:${port}`
    const readStatus = async () =>
      await fetch(url + frontPod.readinessPath).then(
        ({ status }) => status,
        () => 0,
      )
    await expect.poll(readStatus, { timeout: 40_000 }).toBe(200)
    const params = { language: 'python', code: 'def main(args):\n    return {"a": 1}\n', args: {} }
    const response = await fetch(`${url}/rpc`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'run_code', params }),
    })
    expect(await response.text()).toContain('"a":1')

    served.stop()
    expect(await served.ended, served.stderr()).toBe(0)
    running.stop()
    expect(await running.ended, running.stderr()).toBe(0)
  },
  180_000,
)
