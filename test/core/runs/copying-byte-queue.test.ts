import fc from 'fast-check'
import { expect, it } from 'vitest'
import { CopyingByteQueue } from '../../../src/core/runs/supervise/copying-byte-queue.ts'

it('a queue has the bytes that were pushed and not dropped', () => {
  const step = fc.record({
    size: fc.nat({ max: 200_000 }),
    drop: fc.nat({ max: 250_000 }),
    byte: fc.nat({ max: 255 }),
  })
  fc.assert(
    fc.property(fc.array(step, { maxLength: 8 }), (steps) => {
      const queue = new CopyingByteQueue()
      let expected = Buffer.alloc(0)
      for (const { size, drop, byte } of steps) {
        const piece = Buffer.alloc(size, byte)
        queue.push(piece)
        piece.fill(0)
        expected = Buffer.concat([expected, Buffer.alloc(size, byte)]).subarray(drop)
        queue.drop(drop)
        expect(queue.size).toBe(expected.length)
        expect(queue.toBuffer().equals(expected)).toBe(true)
      }
    }),
    { numRuns: 50 },
  )
})
