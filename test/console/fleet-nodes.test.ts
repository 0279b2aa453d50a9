// @module-tag slow
// @module-tag nightly
import { expect, it } from 'vitest'
import type { FleetNode, FleetReport } from '../../src/core/fleet-report.ts'
import { describeNodeState } from '../../src/console/pages/server-status/node-states.ts'
import { loadConfig } from '../../src/core/config/load-config.ts'
import { createRuntime } from '../../src/core/runtime.ts'
import { serve } from '../../src/server/serve.ts'
import { SILENT_LOG } from '../../src/server/telemetry/request-log.ts'
import { createFolder } from '../helpers/skills.ts'
import { openConsole } from './open-console.ts'

const createNode = (name: string, change: Partial<FleetNode> = {}): FleetNode => ({
  name,
  role: 'worker',
  version: '0.1.0',
  running: 3,
  waiting: 1,
  draining: false,
  places: 8,
  line: 2,
  pool: 'default',
  labels: [],
  heard_at: new Date().toISOString(),
  ...change,
})

const FRONT = { role: 'front', places: null, line: null, pool: null } as const

const createReport = (nodes: readonly FleetNode[]): FleetReport => ({
  node: 'front-1',
  tenant: 'main',
  engine: {
    version: '2.10.23',
    answering: true,
    streams: [{ name: 'runs', messages: 12, bytes: 2048 }],
  },
  nodes,
})

/** A server that reports these nodes. */
async function serveFleet(readNodes: () => readonly FleetNode[]) {
  const dir = createFolder()
  const env = { HOME: dir, PATH: process.env['PATH'] }
  const flags = { 'run.warm': false }
  const { config } = await loadConfig({ cwd: dir, env, flags, noFiles: true })
  const stores = { describeFleet: async () => createReport(readNodes()) }
  return await serve({
    runtime: createRuntime({ config, stores }),
    lastGood: undefined,
    host: '127.0.0.1',
    port: 0,
    tokens: undefined,
    noAuth: false,
    allowedHosts: [],
    allowedOrigins: [],
    allowNetwork: false,
    log: SILENT_LOG,
    cwd: dir,
    env,
  })
}

it('the page of the server shows the nodes of its fleet as they change', async (test) => {
  let nodes = [
    createNode('worker-1', { labels: ['gpu', '<b>bold</b>'] }),
    createNode('worker-2', { running: 8, waiting: 2, draining: true }),
    createNode('front-1', FRONT),
  ]
  const server = await serveFleet(() => nodes)
  test.onTestFinished(async () => await server.stop(0))
  const { page, checkAccessibility, screenshot } = await openConsole(test, {
    server,
    path: '/server',
  })
  const row = (name: string) => page.getByRole('row', { name: new RegExp(name) })
  await row('worker-1').getByText('3 of 8').waitFor()
  expect(await row('worker-1').innerText()).toContain('<b>bold</b>')
  await row('worker-2').getByText('draining').waitFor()
  await row('front-1').getByText('3 sent').waitFor()
  expect(await page.getByText('nats-server 2.10.23').innerText()).toContain('12 messages, 2')
  await checkAccessibility()
  await screenshot('server-fleet')
  nodes = [createNode('worker-1', { running: 5 })]
  await row('worker-1').getByText('5 of 8').waitFor()
  await row('worker-2').waitFor({ state: 'detached' })
})

it('the page of a single server shows no nodes', async (test) => {
  const { page } = await openConsole(test, { path: '/server' })
  await page.getByText('Nothing runs now.').waitFor()
  const answered = page.waitForResponse((response) => response.url().endsWith('/rpc'))
  await page.reload()
  await answered
  await page.getByText('Nothing runs now.').waitFor()
  expect(await page.getByText('Nodes of the fleet').count()).toBe(0)
})

it('a node that is heard much later than others is silent', () => {
  const now = Date.now()
  const at = (ms: number) => ({ heard_at: new Date(now - ms).toISOString(), draining: false })
  const all = [at(0), at(2000), at(9000)]
  expect(all.map((node) => describeNodeState(node, all).text)).toEqual(['ready', 'ready', 'silent'])
})
