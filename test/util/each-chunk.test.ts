import { PassThrough, Readable } from 'node:stream'
import { expect, it } from 'vitest'
import { eachChunk } from '../../src/util/each-chunk.ts'

it('hands over everything, in order, before it resolves', async () => {
  const got: string[] = []
  const source = Readable.from(['a', 'b', 'c'].map((text) => Buffer.from(text)))
  await eachChunk(source, (chunk) => got.push(chunk.toString()))
  expect(got).toEqual(['a', 'b', 'c'])
})

it('resolves where the stream is closed without an end', async () => {
  const source = new PassThrough()
  const done = eachChunk(source, () => {})
  source.destroy()
  await done
})

it('rejects with what is thrown, and takes nothing more', async () => {
  const source = new PassThrough()
  let calls = 0
  const done = eachChunk(source, () => {
    calls += 1
    throw new Error('full')
  })
  source.write('a')
  source.write('b')
  await expect(done).rejects.toThrow('full')
  expect(source.destroyed).toBe(true)
  expect(calls).toBe(1)
})

it('rejects with what went wrong with the stream', async () => {
  const source = new PassThrough()
  const done = eachChunk(source, () => {})
  source.destroy(new Error('broken'))
  await expect(done).rejects.toThrow('broken')
})
