// @module-tag slow
// @module-tag nightly
import { text } from 'node:stream/consumers'
import { expect, it, onTestFinished, vi } from 'vitest'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { initAssets } from '../../../src/fleet/engine/init-assets.ts'
import { openEngine, type NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { createRecord } from '../../core/runs/history/example-record.ts'
import { addRun } from '../../core/runs/history/run-store-suite.ts'
import { startNatsServer, type TestServer } from '../../helpers/fleet/nats-server.ts'
import { openNodeStore, OPEN_OPTIONS } from './run-stores.ts'

const DAY_MS = 86_400_000

/** A server of the test, and an engine that waits so long for it. */
async function startEngine(
  patienceMs: number,
): Promise<{ server: TestServer; engine: NatsEngine }> {
  const server = await startNatsServer()
  onTestFinished(async () => await server.close())
  const options = { servers: server.url, name: 'test', tenant: 'faults', patienceMs }
  const engine = await openEngine(options)
  onTestFinished(async () => await engine.close())
  const lifetimes = { runsMs: DAY_MS, blobsMs: DAY_MS, outputsMs: DAY_MS }
  await initAssets(engine, { lifetimes, replicas: 1 })
  return { server, engine }
}

async function listSubjects(engine: NatsEngine): Promise<string[]> {
  const subjects: string[] = []
  for await (const { subject } of engine.list('runs', 'r.>')) subjects.push(subject)
  return subjects
}

it('a run that ends while the engine is paused has one end', async () => {
  const { server, engine } = await startEngine(30_000)
  const store = openNodeStore(engine, 'worker')
  const records = Array.from({ length: 5 }, () => createRecord(createRunId()))
  const opened = await Promise.all(
    records.map(async (record) => await store.open(record, OPEN_OPTIONS)),
  )
  server.process.kill('SIGSTOP')
  const closing = opened.map(async (each, at) => {
    each.log('out\n')
    await each.close({ ...(records[at] as (typeof records)[0]), status: 'completed' })
  })
  await vi.waitUntil(() => !engine.health.isAnswering, { timeout: 20_000 })
  server.process.kill('SIGCONT')
  await Promise.all(closing)
  const ids = records.map((record) => record.run_id)
  const subjects = ids.flatMap((id) => [`r.${id}.begun`, `r.${id}.end`])
  expect((await listSubjects(engine)).toSorted()).toEqual(subjects.toSorted())
  for (const id of ids) {
    expect((await store.get(id)).status).toBe('completed')
    expect(await text(await store.logs(id))).toBe('out\n')
  }
})

it('a run that ends while the engine is away for too long has its end later', async () => {
  const { server, engine } = await startEngine(500)
  const store = openNodeStore(engine, 'worker')
  const record = createRecord(createRunId())
  const opened = await store.open(record, OPEN_OPTIONS)
  await server.end('SIGKILL')
  const closed = opened.close({ ...record, status: 'completed' })
  await expect(closed).rejects.toMatchObject({ code: 'fleet/unavailable' })
  await server.start()
  await vi.waitUntil(() => engine.health.isSteady, { timeout: 20_000 })
  await vi.waitFor(async () => expect((await store.get(record.run_id)).status).toBe('completed'), {
    timeout: 30_000,
    interval: 200,
  })
  expect(await listSubjects(engine)).toHaveLength(2)
})

it('acknowledged records remain when the engine is killed', async () => {
  const { server, engine } = await startEngine(30_000)
  const store = openNodeStore(engine, 'worker')
  const ids: string[] = []
  for (let count = 0; count < 20; count++) ids.unshift(await addRun(store))
  const active = createRecord(createRunId())
  const opened = await store.open(active, OPEN_OPTIONS)
  opened.log(Buffer.alloc(2_000_000, 'x'))
  await server.end('SIGKILL')
  await server.start()
  expect((await store.list()).runs.map((run) => run.run_id)).toEqual([active.run_id, ...ids])
  await opened.close({ ...active, status: 'completed' })
  await server.end('SIGKILL')
  await server.start()
  for (const id of ids) expect((await store.get(id)).status).toBe('completed')
  const { length } = await text(await store.logs(active.run_id))
  expect(length).toBe(2_000_000)
})
