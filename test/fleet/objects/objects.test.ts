// @module-tag slow
// @module-tag nightly
import { randomBytes } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import type { Engine } from '../../../src/fleet/engine/engine.ts'
import type { NatsEngine } from '../../../src/fleet/engine/open-engine.ts'
import {
  ObjectDamagedError,
  ObjectMissingError,
  type ObjectRef,
} from '../../../src/fleet/objects/objects.ts'
import { openObjects } from '../../../src/fleet/objects/open-objects.ts'
import { sweepUploads } from '../../../src/fleet/objects/sweep-uploads.ts'
import { listSubjects, openTestEngine, replaceMessage, useNatsServer } from './open-test-engine.ts'

const CHUNK = 512 * 1024
const HOUR = 3_600_000
const nats = useNatsServer()

async function openTestObjects() {
  const engine = await openTestEngine(nats.server)
  return { engine, objects: openObjects(engine, 'data') }
}

/** An engine that notes the subjects that are read. */
function noteReads(engine: NatsEngine): { engine: Engine; reads: string[] } {
  const reads: string[] = []
  const noting: Partial<Engine> = {
    last: async (stream, subject) => {
      reads.push(subject)
      return await engine.last(stream, subject)
    },
  }
  return { engine: noting as Engine, reads }
}

const sweep = async (engine: Engine, { named = [] as string[], dryRun = false } = {}) =>
  await sweepUploads(engine, { stream: 'data', listNamed: async () => new Set(named), dryRun })

function setClockAhead(ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + ms })
  onTestFinished(() => void vi.useRealTimers())
}

describe('an object', () => {
  it.each([0, 1, CHUNK, CHUNK + 1, 12 * CHUNK + 5])('returns %i bytes unchanged', async (size) => {
    const { objects } = await openTestObjects()
    const content = randomBytes(size)
    const ref = await objects.write(content)
    expect(ref).toMatchObject({ size, chunks: Math.ceil(size / CHUNK) })
    expect((await objects.readAll(ref)).equals(content)).toBe(true)
    expect((await buffer(objects.read(ref))).equals(content)).toBe(true)
  })

  it('accepts writes of any size, whose bytes may change afterwards', async () => {
    const { objects } = await openTestObjects()
    const content = randomBytes(3 * CHUNK)
    const writer = objects.writer()
    for (let at = 0; at < content.length; at += 200_000) {
      const part = Buffer.from(content.subarray(at, at + 200_000))
      await writer.write(part)
      part.fill(0)
    }
    expect((await objects.readAll(await writer.close())).equals(content)).toBe(true)
  })

  it('returns any range, and reads only the chunks of it', async () => {
    const { engine, objects } = await openTestObjects()
    const content = randomBytes(6 * CHUNK + 100)
    const ref = await objects.write(content)
    const noting = noteReads(engine)
    const ranges: [number, number, number[]][] = [
      [0, 10, [0]],
      [CHUNK - 1, CHUNK + 1, [0, 1]],
      [3 * CHUNK, 4 * CHUNK, [3]],
      [6 * CHUNK + 50, 1e9, [6]],
      [5, 5, []],
    ]
    for (const [start, end, chunks] of ranges) {
      noting.reads.length = 0
      const part = await buffer(openObjects(noting.engine, 'data').read(ref, { start, end }))
      expect(part.equals(content.subarray(start, end))).toBe(true)
      expect(noting.reads).toEqual(chunks.map((chunk) => `d.${ref.upload}.${chunk}`))
    }
  })

  it('is not read further while its reader waits', async () => {
    const { engine, objects } = await openTestObjects()
    const ref = await objects.write(randomBytes(30 * CHUNK))
    const noting = noteReads(engine)
    const stream = openObjects(noting.engine, 'data').read(ref)
    await new Promise((done) => stream.once('readable', done))
    // The engine answers in order: requested chunks have arrived after these.
    for (let each = 0; each < 20; each++) await engine.last('data', 'd.none')
    expect(noting.reads.length).toBeLessThan(10)
    expect((await buffer(stream)).length).toBe(ref.size)
  })

  it('can be read at any position', async () => {
    const { objects } = await openTestObjects()
    const content = randomBytes(3 * CHUNK + 10)
    const reader = objects.reader(await objects.write(content))
    for (const from of [0, 100, CHUNK - 10, 3 * CHUNK, 5]) {
      const into = Buffer.alloc(20)
      const size = await reader.read(into, from)
      expect(into.subarray(0, size)).toEqual(content.subarray(from, from + 20))
    }
    expect(await reader.read(Buffer.alloc(5), content.length + 5)).toBe(0)
  })

  it('returns its bytes while it is written', async () => {
    const { objects } = await openTestObjects()
    const content = randomBytes(2 * CHUNK + 10)
    const writer = objects.writer()
    await writer.write(content)
    for (const isClosed of [false, true]) {
      if (isClosed) await writer.close()
      expect((await writer.read(0, 1e9)).equals(content)).toBe(true)
      for (const at of [CHUNK - 5, 2 * CHUNK]) {
        expect(await writer.read(at, 10)).toEqual(content.subarray(at, at + 10))
      }
    }
  })

  it('leaves nothing when it is aborted', async () => {
    const { engine, objects } = await openTestObjects()
    const writer = objects.writer()
    await writer.write(randomBytes(3 * CHUNK))
    await writer.abort()
    expect(await listSubjects(engine, 'd.>')).toEqual([])
    await expect(writer.write(Buffer.from('x'))).rejects.toThrow('closed')
  })
})

describe('a stored object', () => {
  const readFirst = async (ref: ObjectRef, engine: Engine) =>
    await buffer(openObjects(engine, 'data').read(ref, { start: 0, end: 10 }))

  it('reports missing chunks', async () => {
    const { engine, objects } = await openTestObjects()
    const ref = await objects.write(randomBytes(3 * CHUNK))
    await engine.remove('data', `d.${ref.upload}.1`)
    await expect(objects.readAll(ref)).rejects.toThrow(ObjectMissingError)
    await expect(buffer(objects.read(ref))).rejects.toThrow(ObjectMissingError)
    expect(await readFirst(ref, engine)).toHaveLength(10)
  })

  it('reports changed chunks, also those of another position', async () => {
    const { engine, objects } = await openTestObjects()
    const ref = await objects.write(randomBytes(3 * CHUNK))
    const [first, second] = [
      await engine.last('data', `d.${ref.upload}.0`),
      await engine.last('data', `d.${ref.upload}.1`),
    ]
    const changed = Buffer.from(first?.body ?? [])
    changed[5000] = (changed[5000] as number) ^ 1
    for (const body of [changed, second?.body ?? '', Buffer.from('short')]) {
      await replaceMessage(engine, `d.${ref.upload}.0`, body)
      await expect(readFirst(ref, engine)).rejects.toThrow(ObjectDamagedError)
    }
    await replaceMessage(engine, `d.${ref.upload}.0`, first?.body ?? '')
    await expect(objects.readAll({ ...ref, digest: 'sha256:0' })).rejects.toThrow(
      ObjectDamagedError,
    )
    expect((await objects.readAll(ref)).length).toBe(ref.size)
  })

  it.each(['>', '*', '../x', ''])('cannot have the name "%s"', async (upload) => {
    const { engine, objects } = await openTestObjects()
    const ref = await objects.write(Buffer.from('content'))
    const forged = { ...ref, upload }
    await expect(objects.remove(forged)).rejects.toThrow(ObjectDamagedError)
    await expect(objects.readAll(forged)).rejects.toThrow(ObjectDamagedError)
    expect(await listSubjects(engine, 'd.>')).toHaveLength(2)
  })
})

describe('a sweep', () => {
  it('removes old uploads that no entry names', async () => {
    const { engine, objects } = await openTestObjects()
    const named = await objects.write(randomBytes(10))
    const abandoned = await objects.write(randomBytes(2 * CHUNK))
    expect(await sweep(engine, { named: [named.upload] })).toEqual([])
    setClockAhead(2 * HOUR)
    const dryRun = { named: [named.upload], dryRun: true }
    expect(await sweep(engine, dryRun)).toEqual([abandoned.upload])
    expect(await objects.readAll(abandoned)).toHaveLength(abandoned.size)
    expect(await sweep(engine, { named: [named.upload] })).toEqual([abandoned.upload])
    await expect(objects.readAll(abandoned)).rejects.toThrow(ObjectMissingError)
    expect(await objects.readAll(named)).toHaveLength(10)
    expect(await listSubjects(engine, 'd.>')).toHaveLength(2)
  })

  it('finds an upload by its newest mark, which an open writer renews', async () => {
    const { engine, objects } = await openTestObjects()
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    onTestFinished(() => void vi.useRealTimers())
    const writer = objects.writer()
    await writer.write(randomBytes(CHUNK))
    for (let each = 0; each < 3; each++) vi.advanceTimersByTime(HOUR / 3)
    await expect.poll(async () => await listSubjects(engine, 'd.*.open.*')).toHaveLength(4)
    await writer.close()
    vi.advanceTimersByTime(HOUR)
    expect(await listSubjects(engine, 'd.*.open.*')).toHaveLength(4)
  })

  it('makes a writer fail that was stopped for so long that its chunks were removed', async () => {
    const { engine, objects } = await openTestObjects()
    const writer = objects.writer()
    await writer.write(randomBytes(2 * CHUNK))
    await expect.poll(async () => await listSubjects(engine, 'd.>')).toHaveLength(3)
    setClockAhead(2 * HOUR)
    expect(await sweep(engine)).toHaveLength(1)
    await expect(writer.close()).rejects.toThrow('abandoned')
    await writer.abort()
    expect(await listSubjects(engine, 'd.>')).toEqual([])
  })

  it('removes the chunks of skills too', async () => {
    const engine = await openTestEngine(nats.server)
    const ref = await openObjects(engine, 'skills').write(randomBytes(10))
    setClockAhead(2 * HOUR)
    const options = { stream: 'skills', listNamed: async () => new Set<string>() } as const
    expect(await sweepUploads(engine, options)).toEqual([ref.upload])
    expect((await engine.measure('skills')).messages).toBe(0)
  })
})
