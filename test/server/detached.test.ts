// @module-tag slow
// @module-tag nightly
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it, onTestFinished } from 'vitest'
import { createClient, ProtocolError, type SkillsClient } from '../../src/client/index.ts'
import { findProcesses, findRunners } from '../helpers/runners.ts'
import { startServe } from '../helpers/served.ts'
import { createFolder } from '../helpers/skills.ts'

const TOKENS = `alice-token-0123456789 alice
mallory-token-0123456789 mallory
`

/** A server with two tokens that can be killed and started again on the same data. */
async function createServedFolder(env: Record<string, string> = {}) {
  const cwd = createFolder({ 'tokens.txt': TOKENS })
  onTestFinished(async () => {
    for (const pid of findRunners(cwd)) process.kill(pid, 'SIGTERM')
    while (findRunners(cwd).length > 0) await sleep(20)
  })
  const start = async () => {
    const served = await startServe(['--token-file', join(cwd, 'tokens.txt')], { cwd, env })
    const connect = (name: string) =>
      createClient({ url: served.url, token: `${name}-token-0123456789` })
    return { served, alice: connect('alice'), mallory: connect('mallory') }
  }
  return { cwd, start }
}

async function startShell(client: SkillsClient, code: string): Promise<string> {
  const { status, runId = '' } = await client.execute({ runtime: 'shell', code, detach: true })
  expect(status).toBe('running')
  return runId
}

async function readFirstLog(client: SkillsClient, id: string) {
  for await (const part of client.runLogs(id)) return part
  throw new Error(`run ${id} ended without logs`)
}

async function readError(work: Promise<unknown>): Promise<unknown> {
  return await work.then(
    () => 'answered',
    (error: unknown) =>
      error instanceof ProtocolError ? (error.data as { kind?: string }).kind : error,
  )
}

it('detached runs go on while their server is killed, and their caller finds them again', async () => {
  const { cwd, start } = await createServedFolder()
  const before = await start()
  const id = await startShell(before.alice, 'echo one; sleep 4; echo two')
  const endless = await startShell(before.alice, 'sleep 7907')
  const { next_offset: offset } = await readFirstLog(before.alice, id)
  before.served.process.kill('SIGKILL')
  await before.served.ended
  expect(findRunners(cwd)).toHaveLength(2)

  const { alice, mallory } = await start()
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
  expect(await alice.cancelRun(endless)).toMatchObject({ status: 'cancelled' })
  expect(findProcesses('7907')).toEqual([])
})

it('a detached run uses a slot of its server, also after a restart', async () => {
  const { start } = await createServedFolder({ SKILLS_RUN_MAX_CONCURRENT: '1' })
  const before = await start()
  const id = await startShell(before.alice, 'sleep 7909')
  before.served.process.kill('SIGKILL')
  await before.served.ended
  const { alice } = await start()
  const next = alice.execute({ runtime: 'shell', code: 'echo next', outputMode: 'summary' })
  const first = await Promise.race([next, sleep(1500, 'waits')])
  expect(first).toBe('waits')
  await alice.cancelRun(id)
  expect(await next).toMatchObject({ status: 'success', stdoutSummary: 'next\n' })
})

it('a detached run is charged to the quota of its caller, also after a restart', async () => {
  const { start } = await createServedFolder({ SKILLS_SERVE_QUOTAS_CPU: '1s' })
  const before = await start()
  const busy = 'i=0; while [ $i -lt 2000000 ]; do i=$((i+1)); done; echo used; sleep 7911 || true'
  const id = await startShell(before.alice, busy)
  await readFirstLog(before.alice, id)
  before.served.process.kill('SIGKILL')
  await before.served.ended
  const { alice, mallory } = await start()
  const run = async (client: SkillsClient) =>
    await readError(client.execute({ runtime: 'shell', code: 'true' }, { retries: 0 }))
  // The control: the new server knows of no use yet.
  expect(await run(alice)).toBe('answered')
  // The run goes on until now, however long the server took to start.
  for (const pid of findProcesses('sleep\u00007911')) process.kill(pid)
  expect(await alice.waitForRun(id)).toMatchObject({ status: 'completed' })
  // Few calls, which do not use up the quota themselves.
  const poll = { interval: 1000, timeout: 8000 }
  await expect.poll(async () => await run(alice), poll).toBe('quota/exceeded')
  expect(await run(mallory)).toBe('answered')
}, 180_000)

it('a server that is stopped leaves its detached runs alone', async () => {
  const { cwd, start } = await createServedFolder()
  const { served, alice } = await start()
  const id = await startShell(alice, 'sleep 3; echo done')
  served.process.kill('SIGTERM')
  expect(await served.ended).toBe(0)
  expect(findRunners(cwd)).toHaveLength(1)
  const again = await start()
  expect(await again.alice.waitForRun(id)).toMatchObject({ status: 'completed', log_bytes: 5 })
})

it('the events of a detached run can be followed until it ends', async () => {
  const { start } = await createServedFolder()
  const { alice } = await start()
  const id = await startShell(alice, 'sleep 1; echo later')
  const names: string[] = []
  for await (const event of alice.followRun(id)) {
    names.push(event.type === 'log' ? event.text : event.type)
  }
  expect(names).toContain('later\n')
  expect(names.at(-1)).toBe('end')
})
