import { expect, it, describe } from 'vitest'
import { toPrintable, toPrintableLines } from '../../src/util/printable.ts'

describe('toPrintable()', () => {
  it('shows escape sequences as their code', () => {
    expect(toPrintable('a\u001b[31mb\u0007')).toBe('a\\u001b[31mb\\u0007')
    expect(toPrintable('c1 \u009b2J')).toBe('c1 \\u009b2J')
  })

  it('shows characters that hide or reorder text', () => {
    expect(toPrintable('x\u202ey\u200bz')).toBe('x\\u202ey\\u200bz')
  })

  it('joins lines, and keeps letters of all scripts', () => {
    expect(toPrintable('grüß\r\nGott\t日本 👋')).toBe('grüß Gott 日本 👋')
  })

  it('keeps line feeds on request, but no lone carriage return', () => {
    expect(toPrintableLines('a\rb\nc')).toBe('a\nb\nc')
  })
})
