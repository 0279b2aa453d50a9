import { describe, expect, it } from 'vitest'
import { fitsElidedText } from '../../../src/core/testing/expectations/elided-text.ts'

describe('a text with elisions', () => {
  it.each([
    ['a\nb', 'a\nb', true],
    ['a\nb', 'a\nc', false],
    ['...', 'a\nb\nc', true],
    ['a\n...', 'a', true],
    ['a\n...\nz', 'a\nb\nc\nz', true],
    ['a\n...\nz', 'a\nb\nc', false],
    ['...\nx\n...', 'a\nx\nx\nb', true],
    ['took [..] ms', 'took 12.5 ms', true],
    ['took [..] ms', 'took 12.5 s', false],
    ['[..]a[..]b', 'xaxb', true],
    ['[..]ab[..]ab', 'ab', false],
    ['a...b', 'axxxb', false],
    ['', '', true],
    ['a', 'a\n', false],
  ])('%j fits %j: %s', (pattern, text, fits) => {
    expect(fitsElidedText(pattern, text)).toBe(fits)
  })

  it('is compared in linear time', () => {
    const pattern = '...\na\n'.repeat(200)
    expect(fitsElidedText(pattern, 'a\n'.repeat(5000))).toBe(true)
    expect(fitsElidedText(`${'[..]a'.repeat(2000)}b`, 'a'.repeat(100_000))).toBe(false)
  })
})
