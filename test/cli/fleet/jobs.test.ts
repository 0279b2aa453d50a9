// @module-tag slow
// @module-tag nightly
import { describe, expect, it } from 'vitest'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { takeFence } from '../../../src/fleet/messages/fence.ts'
import { nameQueuedFence, type QueuedFence } from '../../../src/fleet/jobs/queued-job.ts'
import { publishJob } from '../../../src/fleet/jobs/publish-job.ts'
import { createEnd } from '../../../src/fleet/records/run-end.ts'
import { createTenant, useServer } from './fleet-server.ts'

const server = useServer()

async function createFleet() {
  const tenant = await createTenant(server.url)
  await tenant.fleet(['init'])
  return tenant
}

/** Stores a run as a front does, and returns its id. */
async function queueRun(engine: Engine, caller: string): Promise<string> {
  const id = createRunId()
  const now = new Date().toISOString()
  const fence: QueuedFence = {
    v: '1.0',
    t: 'queued',
    node: 'front-1',
    run_id: id,
    kind: 'execute',
    who: { door: 'http', caller },
    principal: caller,
    started_at: now,
    pool: 'default',
    labels: [],
    digest: 'sha256:0',
    not_after: now,
    job: { cipher: null, body: { inline: '' } },
  }
  await engine.create('calls', nameQueuedFence(id), JSON.stringify(fence))
  await publishJob(engine, fence)
  return id
}

async function endRun(engine: Engine, id: string, code: string): Promise<void> {
  const answer = { error: { code, message: 'No worker had a place' } }
  await createEnd(engine, id, { end: { node: 'front-1', start: 'a', status: 'failed', answer } })
}

describe('skills fleet jobs', () => {
  it('of a fleet without detached runs says so', async () => {
    const { fleet } = await createFleet()
    expect(await fleet(['jobs'])).toMatchObject({
      code: 0,
      stdout: '',
      stderr: 'No detached run is queued or running\n',
    })
  })

  it('lists queued and running ones with their caller and worker', async () => {
    const { fleet, engine } = await createFleet()
    const queued = await queueRun(engine, 'ali\u001bce')
    const running = await queueRun(engine, 'bob')
    const ended = await queueRun(engine, 'carol')
    const fence = { t: 'begun', node: 'w1', start: 'a', at: '2026-01-01T00:00:00Z' } as const
    await takeFence(engine, { call: running, attempt: 1 }, { ...fence, digest: 'sha256:0' })
    await endRun(engine, ended, 'run/busy')
    const { stdout } = await fleet(['jobs', '--json'])
    const { jobs } = JSON.parse(stdout) as { jobs: { run_id: string }[] }
    expect(jobs).toHaveLength(2)
    expect(jobs).toContainEqual(
      expect.objectContaining({ run_id: queued, state: 'queued', worker: null, begun_at: null }),
    )
    expect(jobs).toContainEqual(
      expect.objectContaining({ run_id: running, state: 'running', worker: 'w1', caller: 'bob' }),
    )
    const table = (await fleet(['jobs'])).stdout
    expect(table).toContain(running)
    expect(table).not.toContain('\u001b')
  })
})

describe('skills fleet dead', () => {
  it('lists runs that ended without a record, but for cancelled ones', async () => {
    const { fleet, engine } = await createFleet()
    expect((await fleet(['dead'])).stderr).toBe('Each detached run that ended has a record\n')
    const ids: string[] = []
    for (const code of ['run/busy', 'run/cancelled', 'run/interrupted']) {
      const id = await queueRun(engine, 'alice')
      await endRun(engine, id, code)
      ids.push(id)
    }
    const read = async (...argv: string[]) => {
      const { stdout } = await fleet(['dead', '--json', ...argv])
      return (JSON.parse(stdout) as { jobs: { run_id: string }[] }).jobs.map((job) => job.run_id)
    }
    expect(await read()).toEqual([ids[2], ids[0]])
    expect(await read('--limit', '1')).toEqual([ids[2]])
    expect((await fleet(['dead'])).stdout).toContain('run/busy: No worker had a place')
  })
})
