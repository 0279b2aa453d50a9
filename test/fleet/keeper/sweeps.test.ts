// @module-tag slow
// @module-tag nightly
import { resolveStoreLimits } from '../../../src/core/storage/store-limits.ts'
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { loadConfig } from '../../../src/core/config/load-config.ts'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { writeBlob } from '../../../src/core/storage/write-blob.ts'
import { openFleetBlobStore } from '../../../src/fleet/blobs/fleet-blob-store.ts'
import { addToCatalog } from '../../../src/fleet/catalog/add-to-catalog.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import type { NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { guardEngine } from '../../../src/fleet/keeper/guarded-engine.ts'
import { runSweep, SWEEPS, type SweepContext } from '../../../src/fleet/keeper/sweeps.ts'
import type { ObjectRef } from '../../../src/fleet/objects/objects.ts'
import { openObjects } from '../../../src/fleet/objects/open-objects.ts'
import { sweepDataUploads } from '../../../src/fleet/objects/sweep-uploads.ts'
import { openFleetOutputStore } from '../../../src/fleet/outputs/fleet-output-store.ts'
import { createEnd, storeLateEnd } from '../../../src/fleet/records/run-end.ts'
import { createRecord } from '../../core/runs/history/example-record.ts'
import { createFolder } from '../../helpers/skills.ts'
import { addition } from '../catalog/catalog-skills.ts'
import { OPEN_OPTIONS, openNodeStore } from '../records/run-stores.ts'
import { listSubjects, openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'

const nats = useNatsServer()
const HOUR = 3_600_000
const MB = 1024 ** 2

function setClockAhead(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
  onTestFinished(() => void vi.useRealTimers())
}

async function createContext(engine: NatsEngine) {
  const HOME = createFolder()
  const { config } = await loadConfig({ cwd: HOME, env: { HOME } })
  return { engine, config, dryRun: false }
}

/** Runs all sweeps, without the comparison of the clocks. */
async function sweepAll(context: SweepContext): Promise<Record<string, number>> {
  const counts: Record<string, number> = {}
  for (const { name, run } of SWEEPS) counts[name] = (await run(context)).removed
  return counts
}

const NOTHING = {
  runs: 0,
  outputs: 0,
  sessions: 0,
  snapshots: 0,
  uploads: 0,
  blobs: 0,
  archives: 0,
}

/** Stores something of each kind that names uploads, and returns a function that reads it all. */
async function storeNamed({ engine, config }: SweepContext): Promise<() => Promise<void>> {
  const objects = openObjects(engine, 'data')
  const runs = openNodeStore(engine, 'w1')
  const logs = randomBytes(MB)
  const ended = createRecord(createRunId())
  const opened = await runs.open(ended, OPEN_OPTIONS)
  opened.log(logs)
  await opened.close({ ...ended, status: 'completed', logs: opened.describeLogs() })
  const large = createRecord(createRunId())
  large.request.args['text'] = 'x'.repeat(MB)
  await runs.open(large, OPEN_OPTIONS)
  const answer = await objects.write(randomBytes(MB))
  const call = createRunId()
  const end = { node: 'w1', start: '1', status: 'completed', answer: { ref: answer } } as const
  await createEnd(engine, call, { end })
  const lateAnswer = await objects.write(randomBytes(MB))
  await storeLateEnd(engine, call, { ...end, answer: { ref: lateAnswer } })
  const blobs = openFleetBlobStore(engine, {
    limits: resolveStoreLimits(config).blobs,
    cacheDir: createFolder(),
  })
  const blob = await writeBlob(blobs, [randomBytes(MB)], 'a/b')
  const outputs = openFleetOutputStore(engine, { limits: resolveStoreLimits(config).outputs })
  const writer = outputs.open({ runId: call, owner: undefined })
  await writer.stdout.write(randomBytes(MB))
  await writer.finish({ status: 'success', exitCode: 0, signal: null })
  return async () => {
    expect(await buffer(await runs.logs(ended.run_id))).toHaveLength(logs.length)
    expect((await runs.get(large.run_id)).request.args['text']).toHaveLength(MB)
    for (const ref of [answer, lateAnswer]) expect(await objects.readAll(ref)).toHaveLength(MB)
    expect(await buffer(await blobs.read(blob.id))).toHaveLength(MB)
    const content = await outputs.content(call, 'stdout', { caller: undefined })
    expect((await buffer(content)).length).toBeGreaterThan(0)
  }
}

describe('the sweeps of a keeper', () => {
  it('keep uploads that records, answers, blobs and outputs name, however old they are', async () => {
    const context = await createContext(await openTestEngine(nats.server))
    const readAll = await storeNamed(context)
    setClockAhead(2 * HOUR)
    expect(await sweepAll(context)).toEqual(NOTHING)
    await readAll()
  })

  it('remove abandoned uploads, and in a dry run only count them', async () => {
    const context = await createContext(await openTestEngine(nats.server))
    const { engine } = context
    const readAll = await storeNamed(context)
    await addToCatalog(engine, openObjects(engine, 'skills'), addition('demo.a'))
    await openObjects(engine, 'data').write(randomBytes(MB))
    await openObjects(engine, 'skills').write(randomBytes(10))
    expect(await sweepAll(context)).toEqual(NOTHING)
    setClockAhead(2 * HOUR)
    const found = { ...NOTHING, uploads: 1, archives: 1 }
    const before = await engine.measure('data')
    expect(await sweepAll({ ...context, dryRun: true })).toEqual(found)
    expect(await engine.measure('data')).toEqual(before)
    expect(await sweepAll(context)).toEqual(found)
    expect(await sweepAll(context)).toEqual(NOTHING)
    await readAll()
  })

  it('keep the chunks of a running writer', async () => {
    const context = await createContext(await openTestEngine(nats.server))
    const objects = openObjects(context.engine, 'data')
    const writer = objects.writer()
    await writer.write(randomBytes(MB))
    expect(await sweepAll(context)).toEqual(NOTHING)
    expect(await objects.readAll(await writer.close())).toHaveLength(MB)
  })

  it('remove expired runs with their logs, outputs and blobs', async () => {
    const context = await createContext(await openTestEngine(nats.server))
    const { engine } = context
    await storeNamed(context)
    setClockAhead(1000 * 24 * HOUR)
    const isAlive = () => false
    const counts = await sweepAll({ ...context, isAlive })
    expect(counts).toMatchObject({ runs: 2, outputs: 1, blobs: 1 })
    expect(counts['uploads']).toBeGreaterThan(0)
    // The ends of calls without a run expire with their stream, and so do the objects that they name.
    expect(await listSubjects(engine, 'd.*.open.0')).toHaveLength(2)
  })

  it('keep a run without an end while its node may be alive', async () => {
    const context = await createContext(await openTestEngine(nats.server))
    const record = createRecord(createRunId())
    await openNodeStore(context.engine, 'w1').open(record, OPEN_OPTIONS)
    setClockAhead(1000 * 24 * HOUR)
    expect(await sweepAll(context)).toEqual(NOTHING)
    expect(await sweepAll({ ...context, isAlive: () => undefined })).toEqual(NOTHING)
    expect(await sweepAll({ ...context, isAlive: () => false })).toEqual({ ...NOTHING, runs: 1 })
  })

  it('remove nothing if the clock of this machine is ahead of that of the engine', async () => {
    const context = await createContext(await openTestEngine(nats.server))
    await openObjects(context.engine, 'data').write(randomBytes(10))
    const sweep = SWEEPS.find(({ name }) => name === 'uploads')
    if (!sweep) throw new Error('no sweep')
    setClockAhead(2 * HOUR)
    await expect(runSweep(sweep, context)).rejects.toThrow(
      '120 minutes ahead of that of the engine',
    )
    vi.setSystemTime(Date.now() - 4 * HOUR)
    await expect(runSweep(sweep, context)).rejects.toThrow('120 minutes behind that of the engine')
    expect(await listSubjects(context.engine, 'd.*.0')).toHaveLength(1)
  })
})

/** Calls a function before the first mark of an upload is removed, and moves later messages by `ms`. */
function interrupt(engine: Engine, before: () => Promise<void>, ms: number): Engine {
  let shiftedFrom = Infinity
  const { signal } = new AbortController()
  return {
    ...guardEngine(engine, { signal, check: () => {} }),
    async *list(...args) {
      for await (const message of engine.list(...args)) {
        const isShifted = message.seq > shiftedFrom
        yield isShifted ? { ...message, storedAt: message.storedAt + ms } : message
      }
    },
    async remove(stream, pattern) {
      if (pattern.endsWith('.open.0')) {
        shiftedFrom = (await engine.measure(stream)).lastSeq
        await before()
      }
      return await engine.remove(stream, pattern)
    },
  }
}

describe('a writer that was stopped for long', () => {
  it('keeps its chunks if it continues while a sweep is about to remove them', async () => {
    const engine = await openTestEngine(nats.server)
    const objects = openObjects(engine, 'data')
    const writer = objects.writer()
    await writer.write(randomBytes(MB))
    await expect.poll(async () => await listSubjects(engine, 'd.>')).toHaveLength(3)
    setClockAhead(2 * HOUR)
    let ref: ObjectRef | undefined
    const close = async () => void (ref = await writer.close())
    expect(await sweepDataUploads(interrupt(engine, close, 2 * HOUR))).toEqual([])
    expect(ref && (await objects.readAll(ref))).toHaveLength(MB)
  })

  it('fails if it continues after a sweep has begun to remove its chunks', async () => {
    const engine = await openTestEngine(nats.server)
    const writer = openObjects(engine, 'data').writer()
    await writer.write(randomBytes(MB))
    await expect.poll(async () => await listSubjects(engine, 'd.>')).toHaveLength(3)
    setClockAhead(2 * HOUR)
    expect(await sweepDataUploads(engine)).toHaveLength(1)
    await expect(writer.close()).rejects.toThrow('abandoned')
  })

  it('leaves chunks that a later sweep finds after a sweep was killed', async () => {
    const engine = await openTestEngine(nats.server)
    await openObjects(engine, 'data').write(randomBytes(MB))
    setClockAhead(2 * HOUR)
    const kill = async () => await Promise.reject(new Error('killed'))
    await expect(sweepDataUploads(interrupt(engine, kill, 0))).rejects.toThrow('killed')
    await engine.remove('data', 'd.*.open.0')
    expect(await sweepDataUploads(engine)).toHaveLength(1)
    expect(await listSubjects(engine, 'd.>')).toEqual([])
  })
})
