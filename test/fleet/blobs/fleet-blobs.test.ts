// @module-tag slow
// @module-tag nightly
import { randomBytes } from 'node:crypto'
import { chmodSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { BlobStore } from '../../../src/core/storage/blob-store.ts'
import { writeBlob } from '../../../src/core/storage/write-blob.ts'
import { SkillsError } from '../../../src/errors.ts'
import { openFleetBlobStore } from '../../../src/fleet/blobs/fleet-blob-store.ts'
import { nameStream } from '../../../src/fleet/engine/assets.ts'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import { createFolder } from '../../helpers/skills.ts'
import {
  connectEngine,
  initStreams,
  limitData,
  listSubjects,
  openTestEngine,
  replaceMessage,
  useNatsServer,
} from '../objects/open-test-engine.ts'

const HOUR = 3_600_000
const MB = 1024 ** 2
const LIMITS = { maxBlobBytes: 1e9, quotaBytes: 1e9, ttlMs: HOUR }
const nats = useNatsServer()

interface StoreOptions extends Partial<typeof LIMITS> {
  cacheDir?: string
  cacheBytes?: number
}

function openStore(
  engine: Engine,
  { cacheDir = createFolder(), cacheBytes, ...limits }: StoreOptions = {},
): BlobStore {
  return openFleetBlobStore(engine, { limits: { ...LIMITS, ...limits }, cacheDir, cacheBytes })
}

/** Stores of two nodes of one fleet. */
async function openTwoStores(options: StoreOptions = {}) {
  const engine = await openTestEngine(nats.server)
  const other = await connectEngine(nats.server, engine.tenant)
  return { engine, stores: [openStore(engine, options), openStore(other, options)] as const }
}

async function putBlob(store: BlobStore, content: Buffer): Promise<string> {
  return (await writeBlob(store, [content], 'a/b')).id
}

function setClockAhead(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
  onTestFinished(() => void vi.useRealTimers())
}

/** An engine whose writes of entries do not get an answer, although they are stored. */
function withoutAnswers(engine: Engine): Engine {
  const create: Engine['create'] = async (stream, subject, body) => {
    const creation = await engine.create(stream, subject, body)
    if (subject.startsWith('b.')) throw new SkillsError('fleet/unavailable', 'no answer')
    return creation
  }
  return new Proxy(engine, {
    get: (target, key) => {
      if (key === 'create') return create
      const value = Reflect.get(target, key) as unknown
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

describe('a blob of a fleet', () => {
  it.each([0, 16 * 1024, 16 * 1024 + 1, 9 * MB])('has %i bytes on each node', async (size) => {
    const { stores } = await openTwoStores()
    const content = randomBytes(size)
    const id = await putBlob(stores[0], content)
    expect((await buffer(await stores[1].read(id))).equals(content)).toBe(true)
    const range = { start: size - 10, end: size - 5 }
    const part = await buffer(await stores[1].read(id, range))
    expect(part.equals(content.subarray(Math.max(0, range.start), Math.max(0, range.end)))).toBe(
      true,
    )
    const { files, release } = await stores[1].hold([id])
    const localPath = files[0]?.localPath ?? ''
    expect(readFileSync(localPath).equals(content)).toBe(true)
    expect(statSync(localPath).mode & 0o777).toBe(0o444)
    await release()
  })

  it('is listed and removed on other nodes as soon as the engine acknowledges it', async () => {
    const { stores } = await openTwoStores()
    const [a, b] = stores
    for (const store of [a, b, a, b]) {
      const id = await putBlob(store, Buffer.from('x'))
      expect((await a.list()).blobs.map((each) => each.id)).toEqual([id])
      expect((await b.list()).blobs.map((each) => each.id)).toEqual([id])
      await (store === a ? b : a).remove(id)
      expect((await a.list()).total + (await b.list()).total).toBe(0)
      await expect(a.remove(id)).rejects.toMatchObject({ code: 'blob/not-found' })
    }
  })

  it('of two writers with one id is that of one of them', async () => {
    const { engine, stores } = await openTwoStores()
    const id = `blob:${'b'.repeat(32)}`
    const contents = [randomBytes(MB), randomBytes(MB)]
    const writers = await Promise.all(
      stores.map(async (store) => await store.writer({ kind: 'a/b', id })),
    )
    for (const [at, writer] of writers.entries()) await writer.write(contents[at] as Buffer)
    const results = await Promise.allSettled(writers.map(async (each) => await each.commit()))
    const winners = results.flatMap(({ status }, at) => (status === 'fulfilled' ? [at] : []))
    expect(winners).toHaveLength(1)
    const stored = await buffer(await stores[0].read(id))
    expect(stored.equals(contents[winners[0] as number] as Buffer)).toBe(true)
    // The chunks of the other one are gone: two chunks and a mark remain.
    expect(await listSubjects(engine, 'd.>')).toHaveLength(3)
  })

  it('remains readable to the end if it is removed, and its chunks are swept later', async () => {
    const { engine, stores } = await openTwoStores()
    const content = randomBytes(9 * MB)
    const id = await putBlob(stores[0], content)
    const reading = await stores[1].read(id)
    await stores[0].remove(id)
    expect(await stores[0].collect()).toMatchObject({ leftovers: 0, kept: { count: 0 } })
    expect((await buffer(reading)).equals(content)).toBe(true)
    setClockAhead(2 * HOUR)
    expect(await stores[0].collect({ dryRun: true })).toMatchObject({ leftovers: 1 })
    expect(await stores[0].collect()).toMatchObject({ leftovers: 1 })
    expect(await listSubjects(engine, 'd.>')).toEqual([])
  })

  it('is whole if the answer to its entry was lost', async () => {
    const engine = await openTestEngine(nats.server)
    const writer = await openStore(withoutAnswers(engine)).writer({ kind: 'a/b' })
    const content = randomBytes(MB)
    await writer.write(content)
    await expect(writer.commit()).rejects.toMatchObject({ code: 'fleet/unavailable' })
    await writer.abort()
    expect((await buffer(await openStore(engine).read(writer.id))).equals(content)).toBe(true)
  })

  it('is listed after the engine lost what it had acknowledged', async () => {
    const { engine, stores } = await openTwoStores()
    for (let each = 0; each < 5; each++) await putBlob(stores[0], Buffer.from('lost'))
    expect((await stores[0].list()).total).toBe(5)
    const { streams } = await engine.client.jetstreamManager(engine.connection)
    await streams.delete(nameStream(engine.tenant, 'data'))
    await initStreams(engine)
    const id = await putBlob(stores[1], Buffer.from('new'))
    expect((await stores[0].list()).blobs.map((each) => each.id)).toEqual([id])
    expect((await stores[1].list()).total).toBe(1)
  })

  it('expires for a reader whose list is old', async () => {
    const { stores } = await openTwoStores()
    const id = await putBlob(stores[0], randomBytes(MB))
    expect((await stores[1].list()).total).toBe(1)
    setClockAhead(2 * HOUR)
    expect((await stores[1].list()).total).toBe(0)
    expect(await stores[1].find('', 5)).toEqual([])
    expect(await stores[0].collect()).toMatchObject({ expired: [id], bytesFreed: MB })
    expect(await stores[1].collect()).toMatchObject({ expired: [] })
  })
})

describe('damage to a blob of a fleet', () => {
  const DAMAGED = { code: 'blob/damaged' }

  async function storeBlob(size: number) {
    const engine = await openTestEngine(nats.server)
    const store = openStore(engine)
    const id = await putBlob(store, randomBytes(size))
    const chunks = await listSubjects(engine, 'd.*.*')
    return { engine, store, id, chunks }
  }

  async function expectDamaged(store: BlobStore, id: string): Promise<void> {
    const reading = async () => await buffer(await store.read(id))
    await expect(reading()).rejects.toMatchObject(DAMAGED)
    await expect(store.hold([id])).rejects.toMatchObject(DAMAGED)
  }

  it.each([MB, 9 * MB])('is reported if a chunk is missing or changed (%i bytes)', async (size) => {
    const { engine, store, id, chunks } = await storeBlob(size)
    await engine.remove('data', chunks[1] as string)
    await expectDamaged(store, id)
    await engine.create('data', chunks[1] as string, randomBytes(512 * 1024 + 32))
    await expectDamaged(store, id)
    expect(await buffer(await store.read(id, { end: 10 }))).toHaveLength(10)
  })

  it('is reported if the entry is changed, which can be removed', async () => {
    const { engine, store, id } = await storeBlob(10)
    const subject = `b.${id.slice('blob:'.length)}`
    const stored = Buffer.from((await engine.last('data', subject))?.body ?? []).toString()
    for (const text of [stored.replace('a/b', 'a/c'), stored.slice(0, 20), '{}', '']) {
      await replaceMessage(engine, subject, text)
      await expect(store.info(id)).rejects.toMatchObject(DAMAGED)
      await expectDamaged(store, id)
      expect((await openStore(engine).list()).total).toBe(0)
    }
    await store.remove(id)
    await expect(store.info(id)).rejects.toMatchObject({ code: 'blob/not-found' })
  })
})

describe('limits of the blobs of a fleet', () => {
  it('count the blobs of all nodes', async () => {
    const { stores } = await openTwoStores({ quotaBytes: 100 })
    const id = await putBlob(stores[0], randomBytes(60))
    await expect(putBlob(stores[1], randomBytes(60))).rejects.toMatchObject({ code: 'blob/quota' })
    await putBlob(stores[1], randomBytes(40))
    await stores[0].remove(id)
    await putBlob(stores[1], randomBytes(60))
  })

  it('include what this node is writing', async () => {
    const store = openStore(await openTestEngine(nats.server), { quotaBytes: 40 * MB })
    const [first, second] = [
      await store.writer({ kind: 'a/b' }),
      await store.writer({ kind: 'a/b' }),
    ]
    const chunk = Buffer.alloc(16 * MB)
    await first.write(chunk)
    await first.write(chunk)
    await expect(second.write(chunk)).rejects.toMatchObject({ code: 'blob/quota' })
    await second.abort()
    await first.abort()
    await putBlob(store, chunk)
  })

  it('exclude expired blobs', async () => {
    const store = openStore(await openTestEngine(nats.server), { quotaBytes: 100 })
    await putBlob(store, randomBytes(80))
    setClockAhead(2 * HOUR)
    await putBlob(store, randomBytes(80))
  })

  it('of the engine are reported as a full store, in which blobs can be removed', async () => {
    const engine = await openTestEngine(nats.server)
    const store = openStore(engine)
    const id = await putBlob(store, randomBytes(MB))
    await limitData(engine, 2 * MB)
    await expect(putBlob(store, randomBytes(3 * MB))).rejects.toMatchObject({ code: 'store/full' })
    expect(await listSubjects(engine, 'd.>')).toHaveLength(3)
    const { bytes } = await engine.measure('data')
    await limitData(engine, bytes)
    await expect(putBlob(store, Buffer.from('x'))).rejects.toMatchObject({ code: 'store/full' })
    await store.remove(id)
    expect(await listSubjects(engine, 'd.>')).toEqual([])
    expect((await openStore(engine).list()).total).toBe(0)
    await putBlob(store, randomBytes(100_000))
  })
})

describe('the files of leases', () => {
  const listFiles = (dir: string) => readdirSync(dir).filter((name) => /^[0-9a-f]{32}$/.test(name))

  it('remain for later leases, within a limit', async () => {
    const engine = await openTestEngine(nats.server)
    const cacheDir = createFolder()
    const store = openStore(engine, { cacheDir, cacheBytes: 250_000 })
    const ids: string[] = []
    for (let each = 0; each < 4; each++) ids.push(await putBlob(store, randomBytes(100_000)))
    const lease = await store.hold(ids)
    expect(listFiles(cacheDir)).toHaveLength(4)
    await lease.release()
    await lease.release()
    expect(listFiles(cacheDir)).toHaveLength(2)
    const again = await store.hold(ids.slice(0, 1))
    expect(readFileSync(again.files[0]?.localPath ?? '')).toHaveLength(100_000)
    await again.release()
    expect(listFiles(cacheDir)).toHaveLength(2)
    expect(readdirSync(join(cacheDir, '.held'))).toEqual([])
    expect(readdirSync(join(cacheDir, '.drafts'))).toEqual([])
  })

  it('are fetched again if they were changed', async () => {
    const engine = await openTestEngine(nats.server)
    const cacheDir = createFolder()
    const store = openStore(engine, { cacheDir })
    const content = randomBytes(50_000)
    const id = await putBlob(store, content)
    await (await store.hold([id])).release()
    const file = join(cacheDir, id.slice('blob:'.length), 'content')
    chmodSync(file, 0o600)
    writeFileSync(file, 'changed')
    const leases = await Promise.all([store.hold([id]), store.hold([id, id])])
    for (const { files, release } of leases) {
      for (const { localPath } of files) expect(readFileSync(localPath).equals(content)).toBe(true)
      await release()
    }
  })
})
