import { expect, it, describe } from 'vitest'
import { toPrintable, toPrintableLines } from '../../src/util/printable.ts'

describe('printable()', () => {
  it('shows escape sequences as their code', () => {
    expect(toPrintable('a\u001b[31mb\u0007')).toBe('a\\u001b[31mb\\u0007')
    expect(toPrintable('c1 \u009b2J')).toBe('c1 \\u009b2J')
  })

  it('shows what hides or reorders text', () => {
    expect(toPrintable('x\u202ey\u200bz')).toBe('x\\u202ey\\u200bz')
  })

  it('makes one line of several, and leaves letters of all scripts alone', () => {
    expect(toPrintable('grüß\r\nGott\t日本 👋')).toBe('grüß Gott 日本 👋')
  })

  it('keeps line ends where they are wanted, but no lone carriage return', () => {
    expect(toPrintableLines('a\rb\nc')).toBe('a\nb\nc')
  })
})
