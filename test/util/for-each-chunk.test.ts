import { PassThrough, Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { forEachChunk } from '../../src/util/for-each-chunk.ts'

it('hands over everything, in order, before it resolves', async () => {
  const got: string[] = []
  const source = Readable.from(['a', 'b', 'c'].map((text) => Buffer.from(text)))
  await forEachChunk(source, (chunk) => void got.push(chunk.toString()))
  expect(got).toEqual(['a', 'b', 'c'])
})

it('resolves where the stream is closed without an end', async () => {
  const source = new PassThrough()
  const done = forEachChunk(source, () => {})
  source.destroy()
  await done
})

it('waits for who takes his time, the last piece included', async () => {
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
])('rejects with what is %s, and the rest is read and thrown away', async (_how, take) => {
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

it('rejects with what becomes of the last piece after the end', async () => {
  const source = new PassThrough()
  const ended = new Promise((resolve) => source.once('end', resolve))
  const done = forEachChunk(source, async () => {
    await ended
    fail()
  })
  source.end('a')
  await expect(done).rejects.toThrow('full')
})

it('rejects with what went wrong with the stream', async () => {
  const source = new PassThrough()
  const done = forEachChunk(source, () => {})
  source.destroy(new Error('broken'))
  await expect(done).rejects.toThrow('broken')
})

function fail(): never {
  throw new Error('full')
}
