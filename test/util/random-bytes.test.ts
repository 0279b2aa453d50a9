import { expect, it } from 'vitest'
import { takeRandomBytes } from '../../src/util/random-bytes.ts'

it('random bytes have the requested length and never repeat', () => {
  const all = Array.from({ length: 2000 }, () => takeRandomBytes(16))
  expect(all.every((each) => each.length === 16)).toBe(true)
  expect(new Set(all.map((each) => each.toString('hex'))).size).toBe(2000)
})

it('random bytes stay unchanged while others are drawn', () => {
  const bytes = takeRandomBytes(16)
  const hex = bytes.toString('hex')
  for (let at = 0; at < 1000; at++) takeRandomBytes(16)
  expect(bytes.toString('hex')).toBe(hex)
})
