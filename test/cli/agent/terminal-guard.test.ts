import { describe, expect, it } from 'vitest'
import { TerminalGuard } from '../../../src/cli/agent/terminal-guard.ts'

const pass = (...chunks: string[]) => {
  const guard = new TerminalGuard()
  return chunks
    .map((chunk) => guard.filter(Buffer.from(chunk, 'latin1')).toString('latin1'))
    .join('')
}

describe('output of a program on a terminal', () => {
  it.each([
    '\u001b[31mred\u001b[0m',
    '\u001b[2J\u001b[1;1H\u001b[?25l\u001b[?1049h',
    '\u001b]0;title\u0007text',
    '\u001b]8;;https://example.com\u001b\\link\u001b]8;;\u001b\\',
    '\u001b(B\u001b=\u001bM',
    '\u001b[6n\u001b[c',
  ])('passes if it draws: %j', (text) => {
    expect(pass(text)).toBe(text)
    expect(pass(...text)).toBe(text)
  })

  it.each([
    ['sets the clipboard', '\u001b]52;c;aGk=\u0007'],
    ['reads the clipboard', '\u001b]52;c;?\u001b\\'],
    ['asks for the title', '\u001b[21t'],
    ['asks for a colour', '\u001b]10;?\u0007'],
    ['asks for settings', '\u001bP$q"p\u001b\\'],
    ['starts a program of the terminal', '\u001b]777;notify;x\u0007'],
  ])('is filtered if it %s', (_, text) => {
    expect(pass(`a${text}b`)).toBe('ab')
    expect(pass('a', ...text, 'b')).toBe('ab')
  })

  it('is not buffered without limit', () => {
    expect(pass('\u001b]0;', 'x'.repeat(100_000), 'on it goes')).toBe('on it goes')
  })
})
