import fc from 'fast-check'
import { expect, it } from 'vitest'
import { matchTerms } from '../../../src/core/outputs/match-terms.ts'

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

it('finds what a regular expression finds that knows no case', () => {
  fc.assert(
    fc.property(
      letters,
      fc.array(
        letters.map((each) => each.slice(0, 4)),
        { maxLength: 4 },
      ),
      (text, raw) => {
        const terms = raw.filter((each) => !/\p{Surrogate}/u.test(each))
        const matcher = matchTerms(terms)
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

it('takes every character of a pattern as itself', () => {
  const bytes = Buffer.from('line l.ne')
  expect(matchTerms(['l.ne']).find(bytes, 0)).toBe(5)
})

it('looks from where it is asked to, and not beyond the end', () => {
  const bytes = Buffer.from('xxabcxxab')
  const matcher = matchTerms(['ABC'])
  expect(matcher.find(bytes, 2)).toBe(2)
  expect(matcher.find(bytes, 3)).toBe(-1)
  expect(matcher.find(bytes.subarray(0, 4), 0)).toBe(-1)
})

it('finds nothing for a term that no line can have', () => {
  expect(matchTerms(['a\nb', '\ud800']).find(Buffer.from('a\nb'), 0)).toBe(-1)
  expect(matchTerms([])).toMatchObject({ matchesAll: false, longest: 0 })
})
