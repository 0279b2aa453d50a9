import { existsSync, readFileSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { BlobStore } from '../../../src/core/storage/blob-store.ts'
import type { BlobLimits } from '../../../src/core/storage/file-blob-store.ts'
import { writeBlob } from '../../../src/core/storage/write-blob.ts'

const HOUR = 3_600_000
const LIMITS = { maxBlobBytes: 1e9, quotaBytes: 1e9, ttlMs: HOUR }
const NOT_FOUND = { code: 'blob/not-found' }

type MakeStore = (limits: BlobLimits) => BlobStore | Promise<BlobStore>

/** Contract of every blob store: each store is tested with it. */
export function testBlobStore(name: string, make: MakeStore): void {
  describe(`a blob store in ${name}`, () => testContract(make))
}

function testContract(make: MakeStore): void {
  const openStore = async (limits: Partial<BlobLimits> = {}) => await make({ ...LIMITS, ...limits })
  const putBlob = async (store: BlobStore, content: string) =>
    (await writeBlob(store, [Buffer.from(content)], 'text/plain')).id
  const readContent = async (store: BlobStore, id: string, range = {}) =>
    await text(await store.read(id, range))

  it('shows a blob only after its commit', async () => {
    const store = await openStore()
    const writer = await store.writer({ kind: 'text/plain' })
    await writer.write(Buffer.from('half'))
    await expect(store.info(writer.id)).rejects.toMatchObject(NOT_FOUND)
    await writer.write(Buffer.from(' and half'))
    expect(writer.written).toBe(13)
    expect(Buffer.from(await writer.read(5, 3)).toString()).toBe('and')
    const info = await writer.commit()
    const digest = 'sha256:c26d7757b5540ad43f288bc4d70a80e2f57e737b368103aebe1487738599b8bd'
    expect(info).toMatchObject({ id: writer.id, kind: 'text/plain', size: 13, digest })
    expect(await store.info(info.id)).toEqual(info)
    expect(await readContent(store, info.id)).toBe('half and half')
  })

  it('reads any range of a blob', async () => {
    const store = await openStore()
    const id = await putBlob(store, '0123456789')
    expect(await readContent(store, id, { start: 2, end: 5 })).toBe('234')
    expect(await readContent(store, id, { start: 7 })).toBe('789')
    expect(await readContent(store, id, { end: 1 })).toBe('0')
  })

  it('forgets an aborted blob', async () => {
    const store = await openStore()
    const writer = await store.writer({ kind: 'text/plain' })
    await writer.write(Buffer.from('x'))
    await writer.abort()
    await expect(store.info(writer.id)).rejects.toMatchObject(NOT_FOUND)
    expect((await store.list()).total).toBe(0)
  })

  it('rejects writes to a sealed blob', async () => {
    const writer = await (await openStore()).writer({ kind: 'text/plain' })
    await writer.write(Buffer.from('x'))
    await writer.seal()
    await expect(writer.write(Buffer.from('y'))).rejects.toThrow('sealed')
    expect((await writer.commit()).size).toBe(1)
  })

  it('rejects a blob that is too large or exceeds the quota', async () => {
    const store = await openStore({ maxBlobBytes: 10, quotaBytes: 15 })
    await expect(putBlob(store, 'x'.repeat(11))).rejects.toMatchObject({ code: 'blob/too-large' })
    const first = await putBlob(store, 'x'.repeat(10))
    await expect(putBlob(store, 'x'.repeat(6))).rejects.toMatchObject({ code: 'blob/quota' })
    await putBlob(store, 'x'.repeat(5))
    await store.remove(first)
    await putBlob(store, 'x'.repeat(10))
  })

  it('never replaces a blob', async () => {
    const store = await openStore()
    const id = `blob:${'a'.repeat(32)}`
    const writers = [
      await store.writer({ kind: 'a/b', id }),
      await store.writer({ kind: 'a/b', id }),
    ]
    const [first, second] = writers as [(typeof writers)[0], (typeof writers)[0]]
    await first.write(Buffer.from('first'))
    await first.commit()
    await expect(second.commit()).rejects.toThrow()
    expect(await readContent(store, id)).toBe('first')
    expect((await store.list()).total).toBe(1)
  })

  it('lists the newest blobs first, and finds ids by prefix', async () => {
    const store = await openStore()
    const ids: string[] = []
    for (const content of ['a', 'b', 'c']) {
      // Longer than the timestamp resolution of file systems.
      ids.unshift(await putBlob(store, content))
      await sleep(10)
    }
    expect((await store.list()).blobs.map(({ id }) => id)).toEqual(ids)
    const page = await store.list({ limit: 2 })
    expect(page.blobs.map(({ id }) => id)).toEqual(ids.slice(0, 2))
    expect(page.total).toBe(3)
    const [id = ''] = ids
    expect(await store.find(id, 5)).toEqual([id])
    expect(await store.find(id.slice('blob:'.length, 20), 5)).toEqual([id])
    expect(await store.find('', 2)).toHaveLength(2)
  })

  it('keeps leased blobs as local files, even if they are removed meanwhile', async () => {
    const store = await openStore()
    const ids = [await putBlob(store, 'one'), await putBlob(store, 'two')]
    const lease = await store.hold(ids)
    const reading = await store.read(ids[0] as string)
    for (const id of ids) await store.remove(id)
    await expect(store.info(ids[0] as string)).rejects.toMatchObject(NOT_FOUND)
    expect(lease.files.map(({ id }) => id)).toEqual(ids)
    const contents = lease.files.map(({ localPath }) => readFileSync(localPath, 'utf8'))
    expect(contents).toEqual(['one', 'two'])
    expect(await text(reading)).toBe('one')
    await lease.release()
    expect(lease.files.some(({ localPath }) => existsSync(localPath))).toBe(false)
    expect((await store.hold([])).files).toEqual([])
  })

  it('expires blobs that are not leased', async () => {
    const store = await openStore()
    const [free, leased] = [await putBlob(store, 'free'), await putBlob(store, 'leased')]
    const lease = await store.hold([leased])
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR })
    onTestFinished(() => void vi.useRealTimers())
    await expect(store.read(free)).rejects.toMatchObject(NOT_FOUND)
    await expect(store.hold([free])).rejects.toMatchObject(NOT_FOUND)
    expect((await store.list()).blobs).toEqual([])
    const would = await store.collect({ dryRun: true })
    expect(would).toMatchObject({ expired: [free], bytesFreed: 4, kept: { count: 1, bytes: 6 } })
    expect(await store.collect()).toEqual(would)
    await lease.release()
    expect(await store.collect()).toMatchObject({ expired: [leased], kept: { count: 0 } })
  })

  it.each(['', 'blob:', 'blob:../../etc/passwd', `blob:${'A'.repeat(32)}`, 'a'.repeat(32)])(
    'has no blob with the id "%s"',
    async (id) => {
      const store = await openStore()
      const calls = [store.info(id), store.read(id), store.remove(id), store.hold([id])]
      for (const each of await Promise.allSettled<unknown>(calls)) {
        expect(each).toMatchObject({ status: 'rejected', reason: NOT_FOUND })
      }
    },
  )
}
