// @module-tag slow
// @module-tag nats-server
import { afterAll, beforeAll, expect, it, onTestFinished, vi } from 'vitest'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'
import { startTestServer } from '../../helpers/server.ts'

let nats: TestServer
beforeAll(async () => {
  nats = await startNatsServer()
})
afterAll(async () => await nats.close())

it.each([
  [undefined, 'own'],
  [true, 'shared'],
])('with run.warm = %s, a warm run of a worker has a layout that is %s', async (warm, kind) => {
  vi.stubEnv('SKILLS_TEST_FLEET', nats.url)
  onTestFinished(() => void vi.unstubAllEnvs())
  const server = await startTestServer({ settings: { 'run.warm': warm }, fastPaths: true })
  const code = { language: 'python', code: 'def main(args):\n    return 1\n' }
  const run = async () => (await server.result('run_code', code))['isolation']
  await expect.poll(run, { timeout: 20_000 }).toMatchObject({ path: 'warm', memory_layout: kind })
})
