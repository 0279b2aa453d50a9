// @module-tag slow
// @module-tag nightly
import { expect, it, vi } from 'vitest'
import { ProtocolError, type SkillsClient } from '../../../src/client/index.ts'
import { findProcesses } from '../../helpers/runners.ts'
import { startServedFleet } from './served-fleet.ts'

// Each process of a fleet takes seconds to start on a busy machine.
vi.setConfig({ testTimeout: 180_000 })

async function startShell(client: SkillsClient, code: string): Promise<string> {
  const { status, runId = '' } = await client.execute({ runtime: 'shell', code, detach: true })
  expect(status).toBe('running')
  return runId
}

async function readError(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => 'answered',
    (error: unknown) =>
      error instanceof ProtocolError ? (error.data as { kind?: string }).kind : error,
  )
}

it('detached runs go on while their front is killed, and their caller finds them at another one', async () => {
  const { startFront, startWorker, fleet } = await startServedFleet({
    SKILLS_RUN_MAX_CONCURRENT: '4',
  })
  await startWorker('w1')
  const before = await startFront('f1')
  const id = await startShell(before.alice, 'echo one; sleep 6; echo two')
  const endless = await startShell(before.alice, 'sleep 7917')
  let offset = 0
  for await (const part of before.alice.runLogs(id)) {
    offset = part.next_offset
    if (offset > 0) break
  }
  before.served.process.kill('SIGKILL')
  await before.served.ended

  const { alice, mallory } = await startFront('f2')
  const { runs } = await alice.listRuns()
  expect(runs.map(({ run_id }) => run_id)).toEqual([endless, id])
  const texts: string[] = []
  for await (const { logs } of alice.runLogs(id, { offset })) texts.push(logs)
  expect(texts.join('')).toBe('two\n')
  expect(await alice.waitForRun(id)).toMatchObject({
    status: 'completed',
    exit: { code: 0 },
    result: { status: 'success' },
  })
  // Another token cannot tell these runs from ones that do not exist.
  const attempts = await Promise.all([
    readError(mallory.getRun({ run_id: endless })),
    readError(mallory.readRunLogs({ run_id: endless })),
    readError(mallory.cancelRun(endless)),
  ])
  expect(attempts).toEqual(['run/not-found', 'run/not-found', 'run/not-found'])
  expect((await mallory.listRuns()).runs).toEqual([])
  expect(await alice.getRun({ run_id: endless })).toMatchObject({ status: 'running' })
  expect(await fleet('jobs')).toMatchObject({
    jobs: [{ run_id: endless, kind: 'execute', caller: 'alice', state: 'running', worker: 'w1' }],
  })
  expect(await alice.cancelRun(endless)).toMatchObject({ status: 'cancelled' })
  await expect.poll(() => findProcesses('7917')).toEqual([])
  await expect
    .poll(async () => await fleet('jobs'), { timeout: 20_000 })
    .toMatchObject({ jobs: [] })
})

it('the events of a detached run can be followed until it ends, also from the queue', async () => {
  const { startFront, startWorker, fleet } = await startServedFleet()
  const { alice } = await startFront('f1')
  const id = await startShell(alice, 'sleep 2; echo later')
  expect(await fleet('jobs')).toMatchObject({ jobs: [{ state: 'queued', worker: null }] })
  await startWorker('w1')
  const names: string[] = []
  for await (const event of alice.followRun(id)) {
    names.push(event.type === 'log' ? event.text : event.type)
  }
  expect(names).toContain('later\n')
  expect(names.at(-1)).toBe('end')
})

it('a front that is stopped leaves its detached runs alone', async () => {
  const { startFront, startWorker } = await startServedFleet()
  await startWorker('w1')
  const { served, alice } = await startFront('f1')
  const id = await startShell(alice, 'sleep 3; echo done')
  served.process.kill('SIGTERM')
  expect(await served.ended).toBe(0)
  const again = await startFront('f1')
  expect(await again.alice.waitForRun(id)).toMatchObject({ status: 'completed', log_bytes: 5 })
})

it('a detached run is charged to the quota of its caller, also after a restart of its front', async () => {
  const { startFront, startWorker } = await startServedFleet({ SKILLS_SERVE_QUOTAS_CPU: '300ms' })
  await startWorker('w1')
  const before = await startFront('f1')
  const busy = 'sleep 8; i=0; while [ $i -lt 400000 ]; do i=$((i+1)); done'
  const id = await startShell(before.alice, busy)
  before.served.process.kill('SIGKILL')
  await before.served.ended
  const { alice, mallory } = await startFront('f1')
  const run = async (client: SkillsClient) =>
    await readError(client.execute({ runtime: 'shell', code: 'true' }))
  expect(await alice.waitForRun(id)).toMatchObject({ status: 'completed' })
  await expect.poll(async () => await run(alice), { timeout: 20_000 }).toBe('quota/exceeded')
  expect(await run(mallory)).toBe('answered')
})

it('a skill that does not exist is refused at once, and a denied program ends as refused', async () => {
  const { startFront, startWorker } = await startServedFleet({
    SKILLS_RUNTIME_ENABLED: 'false',
  })
  await startWorker('w1')
  const { alice } = await startFront('f1')
  expect(await readError(alice.executeSkill({ name: 'nothing', args: {}, detach: true }))).toBe(
    'skill/not-found',
  )
  const id = await startShell(alice, 'true')
  expect(await alice.waitForRun(id)).toMatchObject({ status: 'refused' })
})
