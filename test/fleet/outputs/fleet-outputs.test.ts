// @module-tag slow
// @module-tag nightly
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type {
  OutputReader,
  OutputStore,
  StoredOutput,
} from '../../../src/core/outputs/store/output-store.ts'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { sweepDataUploads } from '../../../src/fleet/objects/sweep-uploads.ts'
import { openFleetOutputStore } from '../../../src/fleet/outputs/fleet-output-store.ts'
import {
  connectEngine,
  limitData,
  listSubjects,
  openTestEngine,
  replaceMessage,
  useNatsServer,
} from '../objects/open-test-engine.ts'

const HOUR = 3_600_000
const MB = 1024 ** 2
const LIMITS = { maxOutputBytes: 1e9, quotaBytes: 1e9, ttlMs: HOUR }
const END = { status: 'success', exitCode: 0, signal: null }
const LOCAL_USER: OutputReader = { caller: undefined }
const DAMAGED = { code: 'output/damaged' }
const nats = useNatsServer()

const openStore = (engine: Engine, limits: Partial<typeof LIMITS> = {}) =>
  openFleetOutputStore(engine, { limits: { ...LIMITS, ...limits } })

async function storeOutput(store: OutputStore, stdout: Buffer, runId = createRunId()) {
  const writer = store.open({ runId, owner: undefined })
  await writer.stdout.write(stdout)
  return await writer.finish(END)
}

async function storeBytes(store: OutputStore, size: number): Promise<StoredOutput> {
  const stored = await storeOutput(store, randomBytes(size))
  if ('notKept' in stored) throw new Error(stored.message)
  return stored
}

async function readLines(store: OutputStore, handle: string): Promise<Buffer> {
  const output = await store.read(handle, LOCAL_USER)
  const parts: Buffer[] = []
  await output.streams.stdout.read(1, ({ bytes }) => parts.push(Buffer.from(bytes)) > 0)
  await output.close()
  return Buffer.concat(parts)
}

function setClockAhead(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
  onTestFinished(() => void vi.useRealTimers())
}

describe('an output of a fleet', () => {
  it('is readable on other nodes', async () => {
    const engine = await openTestEngine(nats.server)
    const other = openStore(await connectEngine(nats.server, engine.tenant))
    for (const size of [10, 3 * MB]) {
      const content = randomBytes(size)
      const stored = (await storeOutput(openStore(engine), content)) as StoredOutput
      expect(await other.info(stored.handle, LOCAL_USER)).toEqual(stored)
      expect((await readLines(other, stored.runId)).equals(content)).toBe(true)
      const whole = await buffer(await other.content(stored.handle, 'stdout', LOCAL_USER))
      expect(whole.equals(content)).toBe(true)
    }
  })

  it('can be so long that its index has chunks of its own', async () => {
    const engine = await openTestEngine(nats.server)
    const store = openStore(engine)
    const writer = store.open({ runId: createRunId(), owner: undefined })
    const block = Buffer.alloc(MB, 'x\n')
    for (let each = 0; each < 300; each++) await writer.stdout.write(block)
    const { handle } = (await writer.finish(END)) as StoredOutput
    const output = await store.read(handle, LOCAL_USER)
    // One for the members, one for their index.
    expect(await listSubjects(engine, 'd.*.open.*')).toHaveLength(2)
    expect(output.streams.stdout.lines).toBe(300 * (MB / 2) + 1)
    let before = 0
    await output.streams.stdout.read(200 * (MB / 2), ({ lineEndsBefore }) => {
      before = lineEndsBefore
      return false
    })
    expect(before).toBe(200 * (MB / 2) - MB / 8)
  })

  it('of two writers for one run is that of the first', async () => {
    const engine = await openTestEngine(nats.server)
    const store = openStore(engine)
    const runId = createRunId()
    const content = randomBytes(MB)
    await storeOutput(store, content, runId)
    const second = await storeOutput(store, randomBytes(MB), runId)
    expect(second).toMatchObject({ notKept: 'unavailable', message: expect.any(String) })
    expect((await readLines(store, runId)).equals(content)).toBe(true)
    expect(await listSubjects(engine, 'd.*.open.*')).toHaveLength(1)
  })

  it('remains readable to the end if it is removed', async () => {
    const engine = await openTestEngine(nats.server)
    const store = openStore(engine)
    const { handle, runId } = await storeBytes(store, 3 * MB)
    const output = await store.read(handle, LOCAL_USER)
    await store.remove(runId)
    await expect(store.info(runId, LOCAL_USER)).rejects.toMatchObject({ code: 'output/not-found' })
    expect(await sweepDataUploads(engine)).toEqual([])
    let size = 0
    await output.streams.stdout.read(1, ({ bytes }) => (size += bytes.length) > 0)
    expect(size).toBe(3 * MB)
    setClockAhead(2 * HOUR)
    expect(await sweepDataUploads(engine)).toHaveLength(1)
    expect(await listSubjects(engine, 'd.>')).toEqual([])
  })

  it('keeps its chunks while it exists', async () => {
    const engine = await openTestEngine(nats.server)
    const { handle } = await storeBytes(openStore(engine), MB)
    setClockAhead(2 * HOUR)
    expect(await sweepDataUploads(engine)).toEqual([])
    expect(await readLines(openStore(engine, { ttlMs: 9 * HOUR }), handle)).toHaveLength(MB)
  })

  it('reports missing and changed chunks as damage', async () => {
    const engine = await openTestEngine(nats.server)
    const store = openStore(engine)
    const { handle } = await storeBytes(store, 3 * MB)
    const [, second = ''] = await listSubjects(engine, 'd.*.*')
    const readContent = async () => await buffer(await store.content(handle, 'stdout', LOCAL_USER))
    await engine.remove('data', second)
    await expect(readLines(store, handle)).rejects.toMatchObject(DAMAGED)
    await expect(readContent()).rejects.toMatchObject(DAMAGED)
    await engine.create('data', second, randomBytes(512 * 1024 + 32))
    await expect(readLines(store, handle)).rejects.toMatchObject(DAMAGED)
    await expect(readContent()).rejects.toMatchObject(DAMAGED)
  })

  it('reports a changed entry as damage, and can be removed', async () => {
    const engine = await openTestEngine(nats.server)
    const store = openStore(engine)
    const { handle, runId } = await storeBytes(store, 10)
    const [subject = ''] = await listSubjects(engine, 'u.*')
    for (const text of ['', '{}', '{"handle":1}']) {
      await replaceMessage(engine, subject, text)
      await expect(store.info(handle, LOCAL_USER)).rejects.toMatchObject(DAMAGED)
    }
    expect(await store.sweep()).toMatchObject({ removed: 0, kept: { count: 0 } })
    await store.remove(runId)
    await expect(store.info(runId, LOCAL_USER)).rejects.toMatchObject({ code: 'output/not-found' })
  })
})

describe('limits of the outputs of a fleet', () => {
  it('leave nothing of an output that is too large', async () => {
    const engine = await openTestEngine(nats.server)
    for (const limits of [{ maxOutputBytes: 800_000 }, { quotaBytes: 800_000 }]) {
      const stored = await storeOutput(openStore(engine, limits), randomBytes(2 * MB))
      const reason = 'quotaBytes' in limits ? 'quota' : 'too-large'
      expect(stored).toMatchObject({ notKept: reason, message: expect.any(String) })
      expect((await engine.measure('data')).messages).toBe(0)
    }
  })

  it('remove the oldest outputs of all nodes', async () => {
    const engine = await openTestEngine(nats.server)
    const other = await connectEngine(nats.server, engine.tenant)
    const stores = [openStore(engine), openStore(other)]
    const handles: string[] = []
    for (let each = 0; each < 4; each++) {
      handles.push((await storeBytes(stores[each % 2] as OutputStore, 100_000)).handle)
      await sleep(5)
    }
    const limited = openStore(engine, { quotaBytes: 350_000 })
    const dryRun = await limited.sweep({ dryRun: true })
    expect(dryRun).toMatchObject({ removed: 1, kept: { count: 3 } })
    expect(await limited.sweep()).toEqual(dryRun)
    const code = 'output/expired'
    const first = stores[1]?.info(handles[0] as string, LOCAL_USER)
    await expect(first).rejects.toMatchObject({ code })
    for (const handle of handles.slice(1)) await stores[0]?.info(handle, LOCAL_USER)
    // A node that stores a tenth of the quota sweeps by itself.
    await storeBytes(limited, 100_000)
    await expect.poll(async () => (await limited.sweep({ dryRun: true })).kept.count).toBe(3)
    const second = limited.info(handles[1] as string, LOCAL_USER)
    await expect(second).rejects.toMatchObject({ code })
  })

  it('of the engine are the reason why an output is not stored', async () => {
    const engine = await openTestEngine(nats.server)
    const store = openStore(engine)
    await limitData(engine, 2 * MB)
    const stored = await storeOutput(store, randomBytes(4 * MB))
    expect(stored).toMatchObject({ notKept: 'disk-full', message: expect.any(String) })
    expect((await engine.measure('data')).messages).toBe(0)
    await storeBytes(store, 300_000)
  })
})
