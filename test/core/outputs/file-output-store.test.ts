import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { openOutputStore } from '../../../src/core/outputs/store/file-output-store.ts'
import type {
  OutputReader,
  OutputStore,
  StoredOutput,
  StreamName,
} from '../../../src/core/outputs/store/output-store.ts'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import type { SkillsError } from '../../../src/errors.ts'
import { createSharedMark } from '../../../src/util/owner.ts'
import { createFolder } from '../../helpers/skills.ts'
import { NO_SMALL_DISK, createSmallDisk } from '../storage/small-disk.ts'

const LIMITS = { maxOutputBytes: 1e9, quotaBytes: 1e9, ttlMs: 3_600_000 }
const END = { status: 'success', exitCode: 0, signal: null }
const LOCAL_USER: OutputReader = { caller: undefined }

function openStore(limits: Partial<typeof LIMITS> = {}, dir = join(createFolder(), 'outputs')) {
  return { dir, store: openOutputStore(dir, { ...LIMITS, ...limits }) }
}

async function storeOutput(
  store: OutputStore,
  content: { stdout?: Buffer; stderr?: Buffer },
  options: { owner?: string; repo?: string; runId?: string } = {},
) {
  const { owner, repo, runId = createRunId() } = options
  const writer = store.open({ runId, owner, repo })
  for (const name of ['stdout', 'stderr'] as const) {
    const bytes = content[name] ?? Buffer.alloc(0)
    for (let at = 0; at < bytes.length; at += 60_000) {
      await writer[name].write(bytes.subarray(at, at + 60_000))
    }
  }
  return { runId, stored: await writer.finish(END) }
}

async function storeBytes(store: OutputStore, bytes: number, options = {}): Promise<StoredOutput> {
  const { stored } = await storeOutput(store, { stdout: randomBytes(bytes) }, options)
  if ('notKept' in stored) throw new Error(stored.message)
  return stored
}

async function readContent(store: OutputStore, handle: string, name: StreamName): Promise<Buffer> {
  const output = await store.read(handle, LOCAL_USER)
  const chunks: Buffer[] = []
  try {
    await output.streams[name].read(1, ({ bytes }) => chunks.push(Buffer.from(bytes)) > 0)
  } finally {
    await output.close()
  }
  return Buffer.concat(chunks)
}

async function catchCode(work: Promise<unknown>): Promise<string> {
  return await work.then(
    () => 'none',
    (error: unknown) => (error as SkillsError).code,
  )
}

describe('an output', () => {
  it('is stored in files that zcat can read and other users cannot', async () => {
    const { store, dir } = openStore()
    const text = Buffer.from('a line of text\n'.repeat(30_000))
    await storeOutput(store, { stdout: text, stderr: text })
    const files = readdirSync(dir).filter((name) => name.endsWith('.gz'))
    expect(files).toHaveLength(2)
    expect(gunzipSync(readFileSync(join(dir, files[0] as string))).equals(text)).toBe(true)
    for (const name of readdirSync(dir)) {
      const { mode } = statSync(join(dir, name))
      expect(mode & 0o077).toBe(0)
    }
    expect(statSync(dir).mode & 0o777).toBe(0o700)
  })

  it('is invisible until it is finished, and leaves no files when aborted', async () => {
    const { store, dir } = openStore()
    const runId = createRunId()
    const writer = store.open({ runId, owner: undefined })
    await writer.stdout.write(randomBytes(600_000))
    expect(await catchCode(store.read(runId, LOCAL_USER))).toBe('output/not-found')
    await writer.abort()
    expect(readdirSync(join(dir, '.drafts'))).toEqual([])
  })

  it('makes the writer wait while too much of it is uncompressed', async () => {
    const { store } = openStore()
    const writer = store.open({ runId: createRunId(), owner: undefined })
    const waits = Array.from({ length: 20 }, () => writer.stdout.write(randomBytes(262_144)))
    expect(waits[0]).toBeUndefined()
    expect(waits.at(-1)).toBeInstanceOf(Promise)
    for (const wait of waits) await wait
    expect(await writer.finish(END)).toMatchObject({ streams: { stdout: { bytes: 20 * 262_144 } } })
  })
})

describe('a handle', () => {
  it('expires, and is still reported as expired when its files are removed', async () => {
    const { dir, store } = openStore()
    const { handle, runId } = await storeBytes(store, 100_000, { owner: 'alice' })
    const { store: later } = openStore({ ttlMs: -1 }, dir)
    for (const sweep of [false, true]) {
      if (sweep) await later.sweep()
      expect(await catchCode(later.info(handle, { caller: 'alice' }))).toBe('output/expired')
      expect(await catchCode(later.info(runId, { caller: 'alice' }))).toBe('output/expired')
      expect(await catchCode(later.info(handle, { caller: 'bob' }))).toBe('output/foreign')
    }
    expect(readdirSync(dir).filter((name) => /\.(gz|json)$/.test(name))).toEqual([])
  })

  it('reports changed files as damaged', async () => {
    for (const size of [10, 900_000]) {
      const { dir, store } = openStore()
      const { handle } = await storeBytes(store, size)
      const name = readdirSync(dir).find((each) => each.endsWith(size > 10 ? '.gz' : '.json'))
      const file = join(dir, name as string)
      if (size > 10) {
        const bytes = readFileSync(file)
        bytes[400_000] = (bytes[400_000] as number) ^ 1
        writeFileSync(file, bytes)
        expect(await catchCode(readContent(store, handle, 'stdout'))).toBe('output/damaged')
      }
      truncateSync(file, 5)
      expect(await catchCode(readContent(store, handle, 'stdout'))).toBe('output/damaged')
    }
  })
})

describe('the output store', () => {
  it.each([1, 1024, 1025, 60_000])('stores %i bytes that gunzip restores', async (size) => {
    const { dir, store } = openStore()
    const stdout = randomBytes(size)
    const { stored } = await storeOutput(store, { stdout })
    const { handle } = stored as StoredOutput
    const [file = ''] = readdirSync(dir).filter((name) => name.endsWith('.json'))
    const { inline } = JSON.parse(readFileSync(join(dir, file), 'utf8')) as {
      inline: Record<string, string>
    }
    expect(gunzipSync(Buffer.from(inline['stdout'] ?? '', 'base64'))).toEqual(stdout)
    expect(await readContent(store, handle, 'stdout')).toEqual(stdout)
    expect(readdirSync(join(dir, '.drafts'))).toEqual([])
  })

  it('continues after its folder was removed', async () => {
    const { dir, store } = openStore()
    await storeBytes(store, 10)
    rmSync(dir, { recursive: true })
    const { handle } = await storeBytes(store, 10)
    expect(await readContent(store, handle, 'stdout')).toHaveLength(10)
  })

  it('stores nothing of an output that is too large', async () => {
    const { dir, store } = openStore({ maxOutputBytes: 50_000 })
    const { stored } = await storeOutput(store, { stdout: randomBytes(600_000) })
    expect(stored).toMatchObject({ notKept: 'too-large' })
    expect(readdirSync(dir).filter((name) => !name.startsWith('.'))).toEqual([])
    const text = Buffer.from('the same again\n'.repeat(40_000))
    expect((await storeOutput(store, { stdout: text })).stored).toHaveProperty('handle')
    const { stored: small } = await storeOutput(openStore({ maxOutputBytes: 100 }).store, {
      stdout: randomBytes(500),
    })
    expect(small).toMatchObject({ notKept: 'too-large' })
  })

  it('removes the oldest outputs beyond the quota, and reports them', async () => {
    const { store } = openStore({ quotaBytes: 350_000 })
    const handles: string[] = []
    for (let each = 0; each < 4; each++) handles.push((await storeBytes(store, 100_000)).handle)
    expect(await catchCode(store.info(handles[0] as string, LOCAL_USER))).toBe('output/expired')
    expect(await catchCode(store.info(handles[3] as string, LOCAL_USER))).toBe('none')
    const { stored } = await storeOutput(store, { stdout: randomBytes(400_000) })
    expect(stored).toMatchObject({ notKept: 'quota' })
  })

  it('can be swept while readers continue', async () => {
    const { dir, store } = openStore()
    const { handle } = await storeBytes(store, 1_000_000)
    const output = await store.read(handle, LOCAL_USER)
    await openStore({ ttlMs: -1 }, dir).store.sweep()
    let size = 0
    await output.streams.stdout.read(1, ({ bytes }) => (size += bytes.length) > 0)
    await output.close()
    expect(size).toBe(1_000_000)
  })

  it('removes the incomplete files of a dead process', async () => {
    const { dir, store } = openStore()
    await storeBytes(store, 10)
    // A leftover of a dead process on the same boot: pid 1 with another start time.
    const left = join(dir, '.drafts', `${createSharedMark().split('.')[0]}.1-1.abc`)
    mkdirSync(left)
    writeFileSync(join(left, 'stdout'), 'half')
    await store.sweep()
    expect(existsSync(left)).toBe(false)
  })

  it('removes the output of a run, which is unknown afterwards', async () => {
    const { dir, store } = openStore()
    const { runId } = await storeBytes(store, 500_000)
    await store.remove(runId)
    expect(await catchCode(store.info(runId, LOCAL_USER))).toBe('output/not-found')
    expect(readdirSync(dir).filter((name) => !name.startsWith('.'))).toEqual([])
  })

  it('returns the reason why it cannot store an output', async () => {
    const file = join(createFolder(), 'file')
    writeFileSync(file, '')
    const { stored } = await storeOutput(openStore({}, join(file, 'outputs')).store, {
      stdout: Buffer.from('x'),
    })
    expect(stored).toMatchObject({ notKept: 'unavailable' })
    expect(stored).toHaveProperty('message', expect.stringContaining('Cannot write'))
  })
})

describe.skipIf(NO_SMALL_DISK)(
  `a full disk${NO_SMALL_DISK ? ` (not run: ${NO_SMALL_DISK})` : ''}`,
  () => {
    it('is returned as the reason, and no files are left on it', async () => {
      const dir = join(createSmallDisk(2 * 1024 ** 2), 'outputs')
      const { store } = openStore({}, dir)
      const { stored } = await storeOutput(store, { stdout: randomBytes(4 * 1024 ** 2) })
      expect(stored).toMatchObject({ notKept: 'disk-full' })
      expect(readdirSync(join(dir, '.drafts'))).toEqual([])
      expect((await storeOutput(store, { stdout: randomBytes(300_000) })).stored).toHaveProperty(
        'handle',
      )
    })
  },
)
