import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createTermMatcher } from '../../../src/core/outputs/query/match-terms.ts'

const letters = fc.string({
  unit: fc.constantFrom(
    'a',
    'A',
    'k',
    'K',
    '\u212a',
    's',
    '\u017f',
    'ß',
    'ẞ',
    'σ',
    'ς',
    'Σ',
    'é',
    'É',
    '.',
    'x',
    '☃',
    '😀',
  ),
  maxLength: 40,
})

it('finds the same matches as a case-insensitive regular expression', () => {
  fc.assert(
    fc.property(
      letters,
      fc.array(
        letters.map((each) => each.slice(0, 4)),
        { maxLength: 4 },
      ),
      (text, raw) => {
        const terms = raw.filter((each) => !/\p{Surrogate}/u.test(each))
        const matcher = createTermMatcher(terms)
        const bytes = Buffer.from(text)
        const expected = terms.flatMap((term) => {
          const at = text.search(new RegExp(term.replace(/[.]/g, '\\.'), 'iu'))
          return at === -1 ? [] : [Buffer.byteLength(text.slice(0, at))]
        })
        const first = expected.length === 0 ? -1 : Math.min(...expected)
        if (bytes.length > 0) expect(matcher.find(bytes, 0)).toBe(first)
      },
    ),
    { numRuns: 1000 },
  )
})

it('treats every character of a pattern literally', () => {
  const bytes = Buffer.from('line l.ne')
  expect(createTermMatcher(['l.ne']).find(bytes, 0)).toBe(5)
})

it('searches from the given offset, and not beyond the end', () => {
  const bytes = Buffer.from('xxabcxxab')
  const matcher = createTermMatcher(['ABC'])
  expect(matcher.find(bytes, 2)).toBe(2)
  expect(matcher.find(bytes, 3)).toBe(-1)
  expect(matcher.find(bytes.subarray(0, 4), 0)).toBe(-1)
})

it('does not match a term that no line can contain', () => {
  expect(createTermMatcher(['a\nb', '\ud800']).find(Buffer.from('a\nb'), 0)).toBe(-1)
  expect(createTermMatcher([])).toMatchObject({ matchesAll: false, longest: 0 })
})

const few = fc.constantFrom('a', 'A', 'k', 'K', '\u212a', 'é')
const row = fc
  .tuple(fc.string({ unit: few, minLength: 1, maxLength: 5 }), fc.integer({ min: 1, max: 30 }))
  .map(([text, times]) => text.repeat(times))
const rows = fc.array(row, { minLength: 1, maxLength: 5 }).map((all) => all.join(''))

it('finds long terms, also in text that consists of them', () => {
  let isFound = 0
  fc.assert(
    fc.property(
      rows,
      fc.array(rows, { minLength: 1, maxLength: 3 }),
      rows,
      (before, terms, after) => {
        const text = `${before}${terms[0] as string}${after}\n${before}`
        const bytes = Buffer.from(text)
        const starts = terms.flatMap((term) => {
          const at = text.search(new RegExp(term, 'iu'))
          return at === -1 ? [] : [Buffer.byteLength(text.slice(0, at))]
        })
        const first = starts.length === 0 ? -1 : Math.min(...starts)
        const matcher = createTermMatcher(terms)
        expect(matcher.find(bytes, 0)).toBe(first)
        const cut = bytes.subarray(0, bytes.length / 2)
        const all = terms.map((term) => cut.toString().search(new RegExp(term, 'iu')))
        if (all.every((at) => at === -1)) expect(matcher.find(cut, 0)).toBe(-1)
        expect(matcher.find(bytes, 0)).toBe(first)
        if (terms.some(({ length }) => length > 40)) isFound += 1
      },
    ),
    { numRuns: 500 },
  )
  expect(isFound).toBeGreaterThan(100)
})

it.each([
  ['its end', `${'a'.repeat(4000)}b`],
  ['its middle', `${'a'.repeat(2000)}b${'a'.repeat(2000)}`],
  ['every part', `${`${'a'.repeat(31)}k`.repeat(125)}b`],
])(
  'compares text that differs from a long term in %s in a single pass',
  { tags: ['slow'], timeout: 60_000 },
  (_, term) => {
    const bytes = Buffer.from(`${'a'.repeat(31)}K`.repeat(100_000))
    const alike = Buffer.alloc(3_000_000, 'a')
    const terms = Array.from({ length: 10 }, (__, at) => `${term}${at}`)
    const matcher = createTermMatcher(terms)
    for (const each of [bytes, alike]) expect(matcher.find(each, 0)).toBe(-1)
    expect(matcher.find(Buffer.concat([alike, Buffer.from(`${term}7`)]), 0)).toBeGreaterThan(-1)
  },
)

it('compiles long terms of letters with case variants quickly', () => {
  const terms = Array.from({ length: 10 }, () => 'k'.repeat(4096))
  expect(createTermMatcher(terms).find(Buffer.alloc(5000, 'K'), 0)).toBe(0)
})
