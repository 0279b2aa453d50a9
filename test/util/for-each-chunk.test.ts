import { PassThrough, Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { forEachChunk } from '../../src/util/bytes/for-each-chunk.ts'

it('forEachChunk() passes every chunk in order before it resolves', async () => {
  const got: string[] = []
  const source = Readable.from(['a', 'b', 'c'].map((text) => Buffer.from(text)))
  await forEachChunk(source, (chunk) => void got.push(chunk.toString()))
  expect(got).toEqual(['a', 'b', 'c'])
})

it('forEachChunk() resolves if the stream closes without an end', async () => {
  const source = new PassThrough()
  const done = forEachChunk(source, () => {})
  source.destroy()
  await done
})

it('forEachChunk() waits for a slow consumer, the last chunk included', async () => {
  const got: string[] = []
  const source = Readable.from(['a', 'b', 'c'].map((text) => Buffer.from(text)))
  await forEachChunk(source, async (chunk) => {
    got.push(`${chunk.toString()} begins`)
    await new Promise((resolve) => setImmediate(resolve))
    got.push(`${chunk.toString()} ends`)
  })
  const all = ['a', 'b', 'c'].flatMap((text) => [`${text} begins`, `${text} ends`])
  expect(got).toEqual(all)
})

it.each([
  ['thrown', () => fail()],
  ['rejected with', async () => fail()],
])('forEachChunk() rejects with an error that is %s, and discards the rest', async (_how, take) => {
  const source = new PassThrough({ highWaterMark: 1 })
  let calls = 0
  const done = forEachChunk(source, () => {
    calls += 1
    return take()
  })
  source.write('a')
  source.write('b')
  const isRead = new Promise<void>((resolve) => source.end('c', () => resolve()))
  await expect(done).rejects.toThrow('full')
  await isRead
  expect(calls).toBe(1)
})

it('forEachChunk() rejects with an error of the last chunk after the end', async () => {
  const source = new PassThrough()
  const ended = new Promise((resolve) => source.once('end', resolve))
  const done = forEachChunk(source, async () => {
    await ended
    fail()
  })
  source.end('a')
  await expect(done).rejects.toThrow('full')
})

it('forEachChunk() rejects with an error of the stream', async () => {
  const source = new PassThrough()
  const done = forEachChunk(source, () => {})
  source.destroy(new Error('broken'))
  await expect(done).rejects.toThrow('broken')
})

function fail(): never {
  throw new Error('full')
}
