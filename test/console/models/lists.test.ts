import fc from 'fast-check'
import { expect, it } from 'vitest'
import { findLanguage, paint } from '../../../src/console/models/highlight.ts'
import { selectMatches } from '../../../src/console/models/match-words.ts'
import { formatRelativeTime } from '../../../src/console/models/times.ts'
import { windowRows } from '../../../src/console/models/window-rows.ts'

it('the rows of a window cover the view, and the heights add up to the whole list', () => {
  fc.assert(
    fc.property(
      fc.record({
        count: fc.nat(200_000),
        rowHeight: fc.integer({ min: 1, max: 100 }),
        scrollTop: fc.nat(10_000_000),
        height: fc.integer({ min: 0, max: 5000 }),
      }),
      (view) => {
        const { count, rowHeight, scrollTop, height } = view
        const { first, end, before, after } = windowRows(view)
        expect(before + (end - first) * rowHeight + after).toBe(count * rowHeight)
        expect(end - first).toBeLessThanOrEqual(height / rowHeight + 30)
        const top = Math.floor(scrollTop / rowHeight)
        if (top < count) expect(first <= top && end > top).toBe(true)
      },
    ),
  )
})

it('painted ranges are in order, within the text and do not overlap, for any text', () => {
  const languages = ['toml', 'json', 'python', 'javascript', 'shell', 'markdown', 'yaml'] as const
  const text = fc.string({ unit: fc.constantFrom(...'ab"\'`#/*\\\n=[]{}$0 ') })
  fc.assert(
    fc.property(text, fc.constantFrom(...languages), (written, language) => {
      let last = 0
      for (const { start, end } of paint(written, language)) {
        expect(start).toBeGreaterThanOrEqual(last)
        expect(end).toBeGreaterThan(start)
        last = end
      }
      expect(last).toBeLessThanOrEqual(written.length)
    }),
  )
})

it.each([
  ['markdown', ['[', '`', '```', '(']],
  ['javascript', ['"', '\\"', '`', '/*', "'"]],
  ['python', ['"""', "'''", '"\\']],
  ['toml', ['"""', '[', '"']],
  ['yaml', ['-', '"', ' -']],
  ['shell', ['${', '$', '"']],
  ['json', ['"', '\\"']],
] as const)(
  'text of openers that nothing closes is painted in %s, in one pass',
  (language, openers) => {
    for (const opener of openers) {
      const text = opener.repeat(Math.floor(199_000 / opener.length))
      expect(paint(text, language).length).toBeLessThanOrEqual(text.length)
    }
  },
)

it('a language is found by the extension of a path', () => {
  expect(findLanguage('code/main.py')).toBe('python')
  expect(findLanguage('LICENSE')).toBeUndefined()
})

it('matches begin with those at the start of a word, and need all words', () => {
  const read = (each: string) => each
  const found = (typed: string) =>
    selectMatches(['demo.greet', 'greet', 'agreement'], typed, { read, limit: 5 })
  expect(found('gree')).toEqual(['greet', 'demo.greet', 'agreement'])
  expect(found('demo greet')).toEqual(['demo.greet'])
  expect(found('zebra')).toEqual([])
})

it('a time is shown as its distance', () => {
  const now = Date.parse('2026-01-01T12:00:00Z')
  expect(formatRelativeTime('2026-01-01T11:57:00Z', now)).toBe('3 min. ago')
  expect(formatRelativeTime('2026-01-01T12:00:00Z', now)).toBe('now')
})
