// @module-tag slow
// @module-tag nightly
import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { openFleetBlobStore } from '../../../src/fleet/blobs/fleet-blob-store.ts'
import type { NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import { createFolder } from '../../helpers/skills.ts'
import { listSubjects, openTestEngine, useNatsServer } from '../objects/open-test-engine.ts'
import { BUILT_MODULES } from '../../helpers/built.ts'

const SCRIPT = fileURLToPath(new URL('write-without-commit.ts', import.meta.url))
const HOUR = 3_600_000
const LIMITS = { maxBlobBytes: 1e9, quotaBytes: 1e9, ttlMs: HOUR }
const nats = useNatsServer()

function openStore(engine: NatsEngine) {
  return openFleetBlobStore(engine, { limits: LIMITS, cacheDir: createFolder() })
}

/** Stops the engine, starts work, and continues the engine later. */
async function whileStopped<T>(work: () => Promise<T>): Promise<T> {
  const { process: server } = nats.server
  server.kill('SIGSTOP')
  try {
    const running = work()
    running.catch(() => {})
    // Longer than the time of one try of a write.
    await sleep(2500)
    server.kill('SIGCONT')
    return await running
  } finally {
    server.kill('SIGCONT')
  }
}

it.each([10, 3_000_000])(
  'a blob of %i bytes written to a stopped engine arrives once',
  async (size) => {
    const engine = await openTestEngine(nats.server)
    const store = openStore(engine)
    await store.list()
    const content = randomBytes(size)
    const writer = await store.writer({ kind: 'a/b' })
    const info = await whileStopped(async () => {
      await writer.write(content)
      return await writer.commit()
    })
    const { blobs, total } = await openStore(engine).list()
    expect({ blobs, total }).toEqual({ blobs: [info], total: 1 })
    expect((await buffer(await store.read(info.id))).equals(content)).toBe(true)
    const chunks = Array.from({ length: size > 10 ? 6 : 0 }, (_, at) =>
      expect.stringMatching(`.${at}$`),
    )
    expect(await listSubjects(engine, 'd.*.*')).toEqual(expect.arrayContaining(chunks))
    expect(await listSubjects(engine, 'd.*.*')).toHaveLength(chunks.length)
  },
)

it('a blob is read, listed and held although the engine stops meanwhile', async () => {
  const engine = await openTestEngine(nats.server)
  const content = randomBytes(3_000_000)
  const writer = await openStore(engine).writer({ kind: 'a/b' })
  await writer.write(content)
  const { id } = await writer.commit()
  const store = openStore(engine)
  const read = await whileStopped(async () => {
    const [bytes, page, lease] = await Promise.all([
      store.read(id).then(buffer),
      store.list(),
      store.hold([id]),
    ])
    await lease.release()
    return { bytes, page }
  })
  expect(read.bytes.equals(content)).toBe(true)
  expect(read.page.total).toBe(1)
})

it('a blob whose writer was killed before its commit is never listed, and swept later', async () => {
  const engine = await openTestEngine(nats.server)
  const args = [SCRIPT, nats.server.url, engine.tenant, createFolder()]
  const { stdout, signal } = spawnSync(process.execPath, ['--import', BUILT_MODULES, ...args], {
    encoding: 'utf8',
    timeout: 60_000,
  })
  expect(signal).toBe('SIGKILL')
  expect(stdout).toMatch(/^blob:[0-9a-f]{32}$/)
  const store = openStore(engine)
  await expect(store.info(stdout)).rejects.toMatchObject({ code: 'blob/not-found' })
  expect((await store.list()).total).toBe(0)
  expect(await listSubjects(engine, 'd.*.*')).toHaveLength(3)
  expect(await store.collect()).toMatchObject({ leftovers: 0 })
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR })
  onTestFinished(() => void vi.useRealTimers())
  expect(await store.collect()).toMatchObject({ leftovers: 1 })
  expect(await listSubjects(engine, 'd.>')).toEqual([])
})
