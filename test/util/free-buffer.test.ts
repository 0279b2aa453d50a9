import { expect, it } from 'vitest'
import { freeBuffer } from '../../src/util/bytes/free-buffer.ts'

it('a large buffer is freed', () => {
  const buffer = Buffer.allocUnsafeSlow(100_000)
  freeBuffer(buffer)
  expect(buffer.length).toBe(0)
})

it('a shared buffer is not freed', () => {
  const large = Buffer.allocUnsafeSlow(100_000)
  const [part, small] = [large.subarray(10), Buffer.from('small')]
  freeBuffer(part)
  freeBuffer(small)
  expect(large.length).toBe(100_000)
  expect(String(small)).toBe('small')
})
