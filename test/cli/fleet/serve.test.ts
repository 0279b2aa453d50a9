// @module-tag slow
import { createServer, type AddressInfo } from 'node:net'
import { expect, it, onTestFinished, vi } from 'vitest'
import { initStreams } from '../../fleet/objects/open-test-engine.ts'
import { startProgram } from '../../helpers/program.ts'
import { startServe } from '../../helpers/served.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createTenant, startNode, useServer, WORKER } from './fleet-server.ts'

// Each process of a fleet takes seconds to start on a busy machine.
vi.setConfig({ testTimeout: 120_000 })

const server = useServer()

async function createFleet() {
  const { engine } = await createTenant(server.url)
  await initStreams(engine)
  const at = { cwd: createFolder(), env: { SKILLS_FLEET_TENANT: engine.tenant } }
  return { engine, at, argv: ['--fleet', server.url, '--name', 'front-1'] }
}

it('a front announces the places and the isolation of its workers', async () => {
  const { engine, at, argv } = await createFleet()
  startNode(engine, { ...WORKER, node: 'one', places: 40, isolation: 'bubblewrap, strict' })
  startNode(engine, { ...WORKER, node: 'two', places: 30, isolation: 'container' })
  startNode(engine, { ...WORKER, node: 'three', places: 20, isDraining: true })
  startNode(engine, { ...WORKER, node: 'four', places: 10, pool: 'other' })
  const { ready } = await startServe(argv, at)
  expect(ready).toMatchObject({
    isolation: 'bubblewrap, strict or container',
    maxRuns: 70,
    workers: 2,
  })
})

it('a front without a worker announces that there is none', async () => {
  const { at, argv } = await createFleet()
  const program = startProgram(['serve', '--port', '0', ...argv], at)
  await program.says('Press Ctrl-C', 'stderr')
  expect(program.stderr()).toContain('no worker yet: start one with "skills worker --fleet <url>"')
  program.signal('SIGTERM')
  expect(await program.ended).toBe(0)
})

it('a front whose port is in use ends with an error', async () => {
  const { at, argv } = await createFleet()
  const other = createServer()
  await new Promise<void>((done) => void other.listen(0, '127.0.0.1', done))
  onTestFinished(() => void other.close())
  const port = String((other.address() as AddressInfo).port)
  const program = startProgram(['serve', '--port', port, ...argv], at)
  expect(await program.ended).toBe(3)
  expect(program.stderr()).toContain(`The port ${port} of 127.0.0.1 is in use`)
  expect(program.stderr()).toContain('→')
})
