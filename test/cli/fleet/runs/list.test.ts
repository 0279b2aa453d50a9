// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { createRunId } from '../../../../src/core/runs/history/run-id.ts'
import { createEnd } from '../../../../src/fleet/records/run-end.ts'
import type { Engine } from '../../../../src/fleet/engine/engine.ts'
import { createRecord } from '../../../core/runs/history/example-record.ts'
import { OPEN_OPTIONS, openNodeStore } from '../../../fleet/records/run-stores.ts'
import { createTenant, useServer } from '../fleet-server.ts'

const server = useServer()

async function createFleet() {
  const tenant = await createTenant(server.url)
  await tenant.fleet(['init'])
  return tenant
}

/** Stores a run that has ended on a node, and returns its id. */
async function storeRun(engine: Engine, node: string, skill = 'demo.greet@0.1.0') {
  const record = createRecord(createRunId())
  record.request.skill = skill
  const opened = await openNodeStore(engine, node).open(record, OPEN_OPTIONS)
  const logs = opened.describeLogs()
  await opened.close({ ...record, status: 'completed', duration_ms: 52, logs })
  return record.run_id
}

describe('skills fleet runs', () => {
  it('of a fleet without runs says so', async () => {
    const { fleet } = await createFleet()
    expect(await fleet(['runs'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No run was recorded\n',
    })
  })

  it('without streams names the command that creates them', async () => {
    const { fleet } = await createTenant(server.url)
    const { code, stderr } = await fleet(['runs'])
    expect(code).toBe(3)
    expect(stderr).toContain('skills fleet init')
  })

  it('lists runs with their nodes, newest first', async () => {
    const { engine, fleet } = await createFleet()
    const first = await storeRun(engine, 'w1')
    const second = await storeRun(engine, 'w2')
    const { code, stdout } = await fleet(['runs'])
    expect(code).toBe(0)
    const [newest = '', oldest = ''] = stdout.split('\n')
    expect(newest).toMatch(new RegExp(`^${second} +completed .* 52 ms +demo.greet@0.1.0 +w2$`))
    expect(oldest).toMatch(new RegExp(`^${first} +completed .* 52 ms +demo.greet@0.1.0 +w1$`))
  })

  it('lists pages', async () => {
    const { engine, fleet } = await createFleet()
    const ids = [await storeRun(engine, 'w1'), await storeRun(engine, 'w1')]
    const first = await fleet(['runs', '--limit', '1'])
    expect(first.stdout).toContain(ids[1])
    const [, cursor = ''] = /--cursor (\S+)/.exec(first.stderr) ?? []
    const second = await fleet(['runs', '--limit', '1', '--cursor', cursor])
    expect(second.stdout).toContain(ids[0])
    expect(second.stdout).not.toContain(ids[1])
  })

  it.each([
    ['--limit', '0'],
    ['--limit', 'many'],
    ['--cursor', 'nonsense'],
  ])('refuses %s %s', async (...option) => {
    const { fleet } = await createFleet()
    expect((await fleet(['runs', ...option])).code).toBe(2)
  })

  it('prints no control characters of nodes', async () => {
    const { engine, fleet } = await createFleet()
    const run = await storeRun(engine, 'w\u001b[2J', 'demo\u001b[2J')
    const { stdout } = await fleet(['runs'])
    expect(stdout).toContain(run)
    expect(stdout).not.toContain('\u001b')
  })

  it('prints one JSON document', async () => {
    const { engine, fleet } = await createFleet()
    const run = await storeRun(engine, 'w1')
    const end = { node: 'w1', start: '1', status: 'completed', answer: {} } as const
    await createEnd(engine, createRunId(), { end })
    const { code, json } = await fleet(['runs', '--json'])
    expect(code).toBe(0)
    expect(json()).toMatchObject({
      schema: 'skills.fleet-runs/v1',
      runs: [{ run_id: run, status: 'completed', node: 'w1' }],
      next_cursor: null,
    })
  })
})
