import fc from 'fast-check'
import { expect, it } from 'vitest'
import { ByteQueue } from '../../src/util/bytes/byte-queue.ts'

it('a queue returns its bytes, however they are split', () => {
  const pieces = fc.array(fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes)))
  const steps = fc.array(fc.tuple(fc.boolean(), fc.nat({ max: 12 })))
  fc.assert(
    fc.property(pieces, steps, (put, sizes) => {
      const queue = new ByteQueue()
      for (const piece of put) queue.push(piece)
      let left = Buffer.concat(put)
      for (const [takes, size] of sizes) {
        const got = takes ? queue.shift(size) : queue.peek(size)
        expect(got).toEqual(left.subarray(0, size))
        if (takes) left = left.subarray(size)
        expect(queue.length).toBe(left.length)
      }
    }),
  )
})

it('a queue does not copy data within one chunk', () => {
  const queue = new ByteQueue()
  const piece = Buffer.from('abcdef')
  queue.push(piece)
  expect(queue.shift(2).buffer).toBe(piece.buffer)
  expect(queue.peek(3).buffer).toBe(piece.buffer)
})
