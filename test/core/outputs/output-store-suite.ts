import { createHash, randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type {
  OutputReader,
  OutputStore,
  StoredOutput,
  StreamName,
} from '../../../src/core/outputs/store/output-store.ts'
import type { OutputLimits } from '../../../src/core/outputs/store/sweep-outputs.ts'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'

const HOUR = 3_600_000
const LIMITS = { maxOutputBytes: 1e9, quotaBytes: 1e9, ttlMs: HOUR }
const LOCAL_USER: OutputReader = { caller: undefined }

type MakeStore = (limits: OutputLimits) => OutputStore | Promise<OutputStore>

/** Contract of every output store: each store is tested with it. */
export function testOutputStore(name: string, make: MakeStore): void {
  describe(`an output store in ${name}`, () => testContract(make))
}

function testContract(make: MakeStore): void {
  const open = async (limits: Partial<OutputLimits> = {}) => await make({ ...LIMITS, ...limits })

  async function storeOutput(
    store: OutputStore,
    content: Partial<Record<StreamName, Buffer>>,
    options: { owner?: string; repo?: string } = {},
  ) {
    const { owner, repo } = options
    const runId = createRunId()
    const writer = store.open({ runId, owner, repo })
    for (const name of ['stdout', 'stderr'] as const) {
      const bytes = content[name] ?? Buffer.alloc(0)
      for (let at = 0; at < bytes.length; at += 60_000) {
        await writer[name].write(bytes.subarray(at, at + 60_000))
      }
    }
    const stored = await writer.finish({ status: 'success', exitCode: 0, signal: null })
    return { runId, stored: stored as StoredOutput }
  }

  async function readContent(store: OutputStore, handle: string, name: StreamName) {
    const output = await store.read(handle, LOCAL_USER)
    const chunks: Buffer[] = []
    await output.streams[name].read(1, ({ bytes }) => chunks.push(Buffer.from(bytes)) > 0)
    await output.close()
    return Buffer.concat(chunks)
  }

  it.each([0, 10, 70_000, 262_144, 1_500_000])('returns %i bytes unchanged', async (size) => {
    const store = await open()
    const [stdout, stderr] = [randomBytes(size), randomBytes(Math.floor(size / 3))]
    const { stored, runId } = await storeOutput(store, { stdout, stderr }, { repo: 'my-repo' })
    const { handle, streams } = stored
    expect(handle).toMatch(/^runtime-my-repo-\d{13}-[0-9a-f]{16}$/)
    const sha256 = createHash('sha256').update(stdout).digest('hex')
    expect(streams.stdout).toMatchObject({ bytes: size, sha256 })
    expect((await readContent(store, handle, 'stdout')).equals(stdout)).toBe(true)
    expect((await readContent(store, runId, 'stderr')).equals(stderr)).toBe(true)
    const complete = await buffer(await store.content(handle, 'stdout', LOCAL_USER))
    expect(complete.equals(stdout)).toBe(true)
  })

  it('reads from the piece that contains a line, and counts the lines before it', async () => {
    const store = await open()
    const lines = Array.from({ length: 200_000 }, (_each, at) => `line ${at + 1}\n`)
    const { stored } = await storeOutput(store, { stdout: Buffer.from(lines.join('')) })
    const { streams, close } = await store.read(stored.handle, LOCAL_USER)
    expect(streams.stdout.lines).toBe(200_001)
    let first = ''
    await streams.stdout.read(150_000, ({ bytes, lineEndsBefore }) => {
      first = bytes.toString().split('\n')[149_999 - lineEndsBefore] as string
      return false
    })
    await close()
    expect(first).toBe('line 150000')
  })

  it('shows an output only after it is finished', async () => {
    const store = await open()
    const runId = createRunId()
    const writer = store.open({ runId, owner: undefined })
    await writer.stdout.write(randomBytes(600_000))
    const code = 'output/not-found'
    await expect(store.read(runId, LOCAL_USER)).rejects.toMatchObject({ code })
    await writer.abort()
    await expect(store.read(runId, LOCAL_USER)).rejects.toMatchObject({ code })
  })

  it('returns an output only to its owner and for its repository', async () => {
    const store = await open()
    const code = 'output/foreign'
    const content = { stdout: Buffer.from('x') }
    const { handle } = (await storeOutput(store, content, { owner: 'alice', repo: 'one' })).stored
    expect(await store.info(handle, { caller: 'alice' })).toMatchObject({ handle })
    expect(await store.info(handle, { caller: 'alice', repo: 'one' })).toMatchObject({ handle })
    expect(await store.info(handle, LOCAL_USER)).toMatchObject({ handle })
    await expect(store.info(handle, { caller: 'bob' })).rejects.toMatchObject({ code })
    const elsewhere = store.info(handle, { caller: 'alice', repo: 'two' })
    await expect(elsewhere).rejects.toMatchObject({ code })
    const owner = await storeOutput(store, content)
    const asked = store.info(owner.stored.handle, { caller: 'alice' })
    await expect(asked).rejects.toMatchObject({ code })
  })

  it('does not find an output by other handles, nor after its removal', async () => {
    const store = await open()
    const { stored, runId } = await storeOutput(store, { stdout: randomBytes(500_000) })
    const { handle } = stored
    const forged = 'runtime-my-repo-1774356909696-fc5aa1f22e33e17c'
    const others = [forged, handle.replace('local', 'other'), '../../etc/passwd', '', createRunId()]
    const code = 'output/not-found'
    for (const other of others) {
      await expect(store.info(other, LOCAL_USER)).rejects.toMatchObject({ code })
    }
    await store.remove(runId)
    await store.remove(createRunId())
    await expect(store.info(runId, LOCAL_USER)).rejects.toMatchObject({ code })
  })

  it('reports an output as expired before and after it is swept', async () => {
    const store = await open()
    const { stored, runId } = await storeOutput(
      store,
      { stdout: randomBytes(100_000) },
      { owner: 'alice' },
    )
    vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + 2 * HOUR })
    onTestFinished(() => void vi.useRealTimers())
    for (const isSwept of [false, true]) {
      if (isSwept) expect(await store.sweep()).toMatchObject({ removed: 1, kept: { count: 0 } })
      for (const name of [stored.handle, runId]) {
        const code = 'output/expired'
        await expect(store.info(name, { caller: 'alice' })).rejects.toMatchObject({ code })
      }
      const foreign = store.info(stored.handle, { caller: 'bob' })
      await expect(foreign).rejects.toMatchObject({ code: 'output/foreign' })
    }
  })

  it('returns the reason why it does not store an output', async () => {
    const stdout = randomBytes(100_000)
    const { stored: large } = await storeOutput(await open({ maxOutputBytes: 1000 }), { stdout })
    expect(large).toMatchObject({ notKept: 'too-large', message: expect.any(String) })
    const { stored: full } = await storeOutput(await open({ quotaBytes: 1000 }), { stdout })
    expect(full).toMatchObject({ notKept: 'quota', message: expect.any(String) })
  })
}
