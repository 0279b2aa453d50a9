import { expect, it, describe } from 'vitest'
import { printable, printableLines } from '../../src/util/printable.ts'

describe('printable()', () => {
  it('shows escape sequences as their code', () => {
    expect(printable('a\u001b[31mb\u0007')).toBe('a\\u001b[31mb\\u0007')
    expect(printable('c1 \u009b2J')).toBe('c1 \\u009b2J')
  })

  it('shows what hides or reorders text', () => {
    expect(printable('x\u202ey\u200bz')).toBe('x\\u202ey\\u200bz')
  })

  it('makes one line of several, and leaves letters of all scripts alone', () => {
    expect(printable('grüß\r\nGott\t日本 👋')).toBe('grüß Gott 日本 👋')
  })

  it('keeps line ends where they are wanted, but no lone carriage return', () => {
    expect(printableLines('a\rb\nc')).toBe('a\nb\nc')
  })
})
