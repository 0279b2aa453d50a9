import { expect, it } from 'vitest'
import { takeRandomBytes } from '../../src/util/random-bytes.ts'

it('are as many as were asked for, and never the same again', () => {
  const all = Array.from({ length: 2000 }, () => takeRandomBytes(16))
  expect(all.every((each) => each.length === 16)).toBe(true)
  expect(new Set(all.map((each) => each.toString('hex'))).size).toBe(2000)
})

it('stay what they are while others are drawn', () => {
  const bytes = takeRandomBytes(16)
  const hex = bytes.toString('hex')
  for (let at = 0; at < 1000; at++) takeRandomBytes(16)
  expect(bytes.toString('hex')).toBe(hex)
})
