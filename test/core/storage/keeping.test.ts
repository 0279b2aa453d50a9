import { spawnSync } from 'node:child_process'
import {
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openBlobStore, type BlobLimits } from '../../../src/core/storage/file-blob-store.ts'
import type { BlobStore } from '../../../src/core/storage/blob-store.ts'
import { openUsage } from '../../../src/core/storage/usage.ts'
import { writeBlob } from '../../../src/core/storage/write-blob.ts'
import { createSharedMark } from '../../../src/util/owner.ts'
import { parseSealedJson, sealJson } from '../../../src/util/sealed-json.ts'
import { createFolder } from '../../helpers/skills.ts'
import { buildMain, createRuntimeIn, runPython } from '../runs/run-warm.ts'

const HOUR = 3_600_000

function openStore(limits: Partial<BlobLimits> = {}, dir = createFolder()) {
  const all = { maxBlobBytes: 1e9, quotaBytes: 1e9, ttlMs: HOUR, ...limits }
  return { dir, store: openBlobStore(dir, all) }
}

async function putBlob(store: BlobStore, size: number): Promise<string> {
  return (await writeBlob(store, [Buffer.alloc(size, 'x')], 'text/plain')).id
}

/** Sets the timestamps of a blob to a time in the past. */
function setAge(dir: string, id: string, ms: number): void {
  const blob = join(dir, id.slice(5))
  const then = new Date(Date.now() - ms)
  const info = parseSealedJson(readFileSync(join(blob, 'info.json'), 'utf8')) as object
  writeFileSync(join(blob, 'info.json'), sealJson({ ...info, createdAt: then.toISOString() }))
  utimesSync(blob, then, then)
}

/** The process mark of a dead process of this machine. */
function createDeadMark(): string {
  const { pid } = spawnSync(process.execPath, ['-e', '0'])
  return createSharedMark().replace(/\.\d+-\d+$/, `.${pid}-1`)
}

describe('a quota', () => {
  it('is shared by all stores of a folder, also at the same time', async () => {
    const { dir } = openStore()
    const stores = [1, 2, 3, 4].map(() => openStore({ quotaBytes: 1000 }, dir).store)
    const puts = Array.from(
      { length: 20 },
      async (_, at) => await putBlob(stores[at % 4] as BlobStore, 100),
    )
    const done = await Promise.allSettled(puts)
    const stored = done.filter(({ status }) => status === 'fulfilled')
    const { blobs } = await (stores[0] as BlobStore).list()
    expect(blobs).toHaveLength(stored.length)
    expect(stored.length).toBeLessThanOrEqual(10)
    expect(stored.length).toBe(10)
  })

  it('includes unfinished blobs above a size', async () => {
    const { store, dir } = openStore({ quotaBytes: 50 * 1024 ** 2 })
    const [first, second] = [
      await store.writer({ kind: 'a/b' }),
      await store.writer({ kind: 'a/b' }),
    ]
    const chunk = Buffer.alloc(16 * 1024 ** 2)
    await first.write(chunk)
    await second.write(chunk)
    await first.write(chunk)
    await expect(second.write(chunk)).rejects.toMatchObject({ code: 'blob/quota' })
    await second.abort()
    await first.write(Buffer.alloc(1024 ** 2))
    await first.commit()
    expect(readdirSync(join(dir, '.drafts'))).toEqual([])
    await putBlob(store, 16 * 1024 ** 2)
  })

  it('excludes expired blobs and leftovers of crashes', async () => {
    const { store, dir } = openStore({ quotaBytes: 1000 })
    const old = await putBlob(store, 900)
    setAge(dir, old, 2 * HOUR)
    // Another store, because one whose count took long on a busy machine does not count again at once.
    await putBlob(openStore({ quotaBytes: 1000 }, dir).store, 900)
    await expect(store.info(old)).rejects.toMatchObject({ code: 'blob/not-found' })
    const { dir: other } = openStore()
    const left = join(other, '.drafts', `${createDeadMark()}.0123`)
    mkdirSync(left, { recursive: true })
    writeFileSync(join(left, 'content'), Buffer.alloc(900))
    await putBlob(openStore({ quotaBytes: 1000 }, other).store, 1000)
  })

  it('is checked without counting all blobs', async () => {
    const { store, dir } = openStore()
    await putBlob(store, 1)
    // Only a recount notices lost blobs.
    rmSync(join(dir, readdirSync(dir).find((name) => /^[0-9a-f]{32}$/.test(name)) as string), {
      recursive: true,
    })
    await putBlob(store, 10)
    expect(openUsage(dir).read()).toBe(11)
    await store.collect()
    expect(openUsage(dir).read()).toBe(10)
  })

  it('keeps its usage file small', async () => {
    const { dir } = openStore()
    const usage = openUsage(dir)
    usage.set(5, usage.mark())
    for (let count = 0; count < 30_000; count++) usage.add(1)
    expect(usage.read()).toBe(30_005)
    expect(statSync(join(dir, '.usage')).size).toBeLessThan(100)
    expect(usage.read()).toBe(30_005)
  })

  it('ends a run that exceeds it with an error, not with a result', async () => {
    const data = createFolder()
    const code = 'from runtime import blobs\nblobs.write_bytes(bytes(150_000))\nreturn 1'
    const settings = { 'store.quota': 800_000 }
    const runtime = await createRuntimeIn(data, settings)
    const content = 'x'.repeat(350_000)
    for (let at = 0; at < 2; at++) await runtime.createBlob({ content, kind: 'text/plain' })
    const run = runPython(buildMain(code), { data, settings })
    await expect(run).rejects.toMatchObject({ code: 'blob/quota' })
    expect((await (await runtime.blobs()).list()).total).toBe(2)
    expect((await (await runtime.runs()).list()).runs[0]).toMatchObject({ status: 'failed' })
  })
})

describe('the time to live', () => {
  it('hides expired blobs from readers at once, and removes them with the next collection', async () => {
    const { store, dir } = openStore({ ttlMs: HOUR })
    const [old, young] = [await putBlob(store, 7), await putBlob(store, 5)]
    setAge(dir, old, HOUR + 1000)
    setAge(dir, young, HOUR - 60_000)
    const code = 'blob/not-found'
    await expect(store.info(old)).rejects.toMatchObject({ code })
    await expect(store.read(old)).rejects.toMatchObject({ code })
    await expect(store.hold([old])).rejects.toMatchObject({ code })
    expect((await store.list()).blobs.map(({ id }) => id)).toEqual([young])
    const dryRun = await store.collect({ dryRun: true })
    expect(dryRun).toMatchObject({ expired: [old], bytesFreed: 7, kept: { count: 1, bytes: 5 } })
    expect(await store.collect()).toEqual(dryRun)
    expect(await store.collect()).toMatchObject({ expired: [], bytesFreed: 0 })
    expect(readdirSync(dir)).not.toContain(old.slice(5))
  })

  it('does not expire blobs pinned by a run, in this process or another', async () => {
    const { store, dir } = openStore()
    const [mine, foreign, free] = [
      await putBlob(store, 1),
      await putBlob(store, 2),
      await putBlob(store, 3),
    ]
    const lease = await store.hold([mine])
    const other = join(
      dir,
      '.held',
      `${createSharedMark().replace(/\.\d+-\d+$/, '')}.1-${readInitStart()}.aa`,
    )
    mkdirSync(other)
    writeFileSync(join(other, foreign.slice(5)), '')
    for (const id of [mine, foreign, free]) setAge(dir, id, 2 * HOUR)
    expect((await store.collect()).expired).toEqual([free])
    await lease.release()
    rmSync(other, { recursive: true })
    expect((await store.collect()).expired.toSorted()).toEqual([mine, foreign].toSorted())
  })

  it('expires blobs pinned by crashed processes', async () => {
    const { store, dir } = openStore()
    const id = await putBlob(store, 1)
    const deadPin = join(dir, '.held', `${createDeadMark()}.aa`)
    mkdirSync(deadPin, { recursive: true })
    writeFileSync(join(deadPin, id.slice(5)), '')
    setAge(dir, id, 2 * HOUR)
    expect(await store.collect()).toMatchObject({ expired: [id], leftovers: 1 })
    expect(readdirSync(join(dir, '.held'))).toEqual([])
  })
})

describe('a removed blob', () => {
  it('does not affect a run that mounts it', async () => {
    const data = createFolder()
    const runtime = await createRuntimeIn(data)
    const { blob_id } = await runtime.createBlob({ content: 'input', kind: 'text/plain' })
    const code =
      'import time\nfrom runtime import blobs\ndef main(args):\n    print("up", flush=True)\n    time.sleep(0.3)\n    return [blobs.read_text(args["b"]), open("/blobs/" + args["b"]).read()]\n'
    const store = await runtime.blobs()
    let removed: Promise<void> | undefined
    const onEvent = ({ type }: { type: string }) => {
      if (type === 'log') removed ??= store.remove(blob_id)
    }
    const result = await runPython(code, {
      data,
      args: { b: blob_id },
      blobs: [blob_id],
      call: { onEvent },
    })
    expect(result.output).toEqual(['input', 'input'])
    await removed
    await expect(store.info(blob_id)).rejects.toMatchObject({ code: 'blob/not-found' })
    expect(readdirSync(join(data, 'blobs', '.held'))).toEqual([])
  })

  it('is named in the error of a run that starts later', async () => {
    const id = `blob:${'1'.repeat(32)}`
    const run = runPython(buildMain('return 1'), { blobs: [id] })
    await expect(run).rejects.toMatchObject({ code: 'blob/not-found', data: { id } })
  })

  it('does not affect a running run, even if all stored data is removed', async () => {
    const data = createFolder()
    const code =
      'import time\nfrom runtime import blobs\ndef main(args):\n    print("up", flush=True)\n    time.sleep(0.3)\n    blobs.write_text("x")\n    return 1\n'
    const onEvent = ({ type }: { type: string }) => {
      if (type === 'log') for (const each of ['blobs', 'runs']) removeFolder(join(data, each))
    }
    const { runtime, ...result } = await runPython(code, { data, call: { onEvent } })
    expect(result).toMatchObject({ status: 'completed', output: 1 })
    const { blobs } = await (await runtime.runs()).get(result.run_id)
    expect(blobs.map((blob) => blob.blob_id)).toEqual(result.output_blobs)
    expect((await runtime.readBlob({ blob_id: blobs[0]?.blob_id as string })).content).toBe('x')
  })
})

function removeFolder(dir: string): void {
  rmSync(dir, { recursive: true, force: true })
}

/** The first process always exists. */
function readInitStart(): string {
  const stat = readFileSync('/proc/1/stat', 'utf8')
  return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19] as string
}
