// @module-tag slow
// @module-tag nightly
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { openEngine } from '../../../src/fleet/engine/open-engine.ts'
import { decodeMessage, encodeMessage } from '../../../src/fleet/messages/encoding.ts'
import { OPS, useTwoServers } from './two-servers.ts'

const servers = useTwoServers()

async function readMetrics(at: number): Promise<string[]> {
  return (await (await servers.current.fetch(at, '/metrics')).text()).split('\n')
}

interface ListedNode {
  name: string
  role: string
  places: number | null
  heard_at: string
}

async function listNodes(at: number) {
  const { fleet } = await servers.current.call(at, 'list_nodes', { token: OPS })
  return fleet as {
    node: string
    engine: { version: string; answering: boolean; streams: { name: string }[] | null }
    nodes: ListedNode[]
  }
}

it('list_nodes lists workers before fronts, and the streams of the engine', async () => {
  // A front that has just started has not heard all nodes.
  await expect.poll(async () => (await listNodes(1)).nodes.length).toBe(4)
  const { node, engine, nodes } = await listNodes(1)
  expect(node).toBe('second')
  expect(nodes.map(({ role, name }) => `${role} ${name}`)).toEqual([
    'worker w0',
    'worker w1',
    'front front',
    'front second',
  ])
  expect(nodes.map(({ places }) => places !== null)).toEqual([true, true, false, false])
  expect(nodes.every(({ heard_at: at }) => Date.parse(at) > 0)).toBe(true)
  expect(engine).toMatchObject({ answering: true })
  expect(engine.streams?.map(({ name }) => name)).toContain('runs')
})

it('the metrics of a front count what happens to its calls, under its name', async () => {
  const code = 'def main(args):\n    return {}\n'
  await servers.current.call(1, 'run_code', { params: { language: 'python', code, args: {} } })
  const lines = await readMetrics(1)
  expect(lines).toContain('skills_fleet_placements_total{node="second",how="chance"} 1')
  expect(lines).toContain('skills_fleet_revoked_total{node="second"} 0')
  expect(lines).toContain('skills_fleet_workers{node="second"} 2')
  expect(lines).toContain('skills_fleet_line{node="second"} 0')
  const places = lines.find((line) => line.startsWith('skills_fleet_places{node="second"}'))
  expect(Number(places?.split(' ')[1])).toBeGreaterThan(0)
})

it('a front is not ready while the engine does not answer', async () => {
  const { nats } = servers.current
  expect((await servers.current.fetch(0, '/readyz')).status).toBe(200)
  nats.process.kill('SIGSTOP')
  try {
    while ((await servers.current.fetch(0, '/readyz')).status === 200) await sleep(50)
    const response = await servers.current.fetch(0, '/readyz')
    expect(await response.json()).toMatchObject({
      reason: 'the engine of the fleet does not answer',
    })
    const { engine } = await listNodes(0)
    expect(engine).toMatchObject({ answering: false, streams: null })
  } finally {
    nats.process.kill('SIGCONT')
  }
  while ((await servers.current.fetch(0, '/readyz')).status !== 200) await sleep(50)
  const away = (await readMetrics(0)).find((line) =>
    line.startsWith('skills_fleet_engine_away_seconds'),
  )
  expect(Number(away?.split(' ')[1])).toBeGreaterThan(0)
})

it('a front answers a request to drain, and is not ready then', async () => {
  const { nats, fleet, fronts } = servers.current
  const { tenant } = fleet
  const engine = await openEngine({ servers: nats.url, name: 'test', tenant, patienceMs: 5000 })
  const answer = await engine.request('f.second.ctl', encodeMessage({ op: 'drain' }), 5000)
  await engine.close()
  expect(decodeMessage(answer)).toMatchObject({ running: 0 })
  await fronts[1]?.drained
  const response = await servers.current.fetch(1, '/readyz')
  expect(response.status).toBe(503)
  expect(await response.json()).toMatchObject({ reason: 'the node drains' })
  // The next heartbeat says it.
  const isListed = async () => JSON.stringify(await listNodes(0)).includes('"draining":true')
  while (!(await isListed())) await sleep(50)
})
