import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { listCaseForms } from '../../src/core/outputs/query/case-forms.ts'
import { parseRegex } from '../../src/util/linear-regex/parse-regex.ts'
import { RegexScanner } from '../../src/util/linear-regex/regex-scanner.ts'

function createScanner(pattern: string) {
  return new RegexScanner(parseRegex(pattern, listCaseForms))
}

function findTexts(pattern: string, text: string): string[] {
  const latin1 = Buffer.from(text).toString('latin1')
  return createScanner(pattern)
    .findAll(latin1)
    .map(([start, end]) => Buffer.from(latin1.slice(start, end), 'latin1').toString())
}

describe('a regular expression in linear time', () => {
  it.each([
    ['a+b', 'xaab ab b', ['aab', 'ab']],
    ['a|ab|abc', 'abcd', ['abc']],
    [String.raw`\bfoo\b`, 'foo food a-foo', ['foo', 'foo']],
    ['^b.*$', 'a b\nb c\nb', ['b c', 'b']],
    [String.raw`\d{2,3}`, '1 22 4444', ['22', '444']],
    ['(?i)straße', 'STRAßE Straẞe', ['STRAßE', 'Straẞe']],
    ['[a-c]x|[^a-c\\s]y', 'ax dy by éy', ['ax', 'dy', 'éy']],
    ['€.', 'a€é€', ['€é']],
    [String.raw`\x41\u0042\u{43}\.\/`, 'ABC./', ['ABC./']],
    ['(?:a{2}){2}', 'aaaaa', ['aaaa']],
    ['(?<name>a)?b', 'ab b', ['ab', 'b']],
    ['[]a]', ']', undefined],
    ['a-b[a-]', 'a-b-', ['a-b-']],
    [String.raw`[\w.-]+@`, 'x@ y.z-1@', ['x@', 'y.z-1@']],
    ['{a', '{a', ['{a']],
    // A character is never split into two.
    ['..c', 'éc aéc', ['aéc']],
    [String.raw`\B.c`, 'aéc éac', []],
    ['[^a]{2}c', 'éc €€c', ['€€c']],
    ['(?:.|é)+', 'éé\n€', ['éé', '€']],
    // The first match is the one that begins first, also if another one ends before it.
    ['a..a|b', 'abca b', ['abca', 'b']],
    ['a.*z|b|c', 'abc', ['b', 'c']],
  ])('%s finds its matches', (pattern, text, expected) => {
    if (expected === undefined) expect(() => findTexts(pattern, text)).toThrow('class is empty')
    else expect(findTexts(pattern, text)).toEqual(expected)
  })

  it.each([
    [String.raw`(a)\1`, 'back-references'],
    ['(?=a)b', 'lookaround'],
    ['(?<!a)b', 'lookaround'],
    ['a**', 'repetition is repeated'],
    ['(a', 'not closed'],
    ['a)', 'closes no group'],
    ['[a', 'not closed'],
    ['*a', 'repeats nothing'],
    ['a{2,1}', 'wrong order'],
    ['a{1001}', 'more than 1000'],
    ['((a{1000}){1000}){1000}', 'too complex'],
    ['a*', 'empty text'],
    [String.raw`\b`, 'empty text'],
    ['x'.repeat(1001), 'characters'],
    [String.raw`\pL`, 'not supported'],
    ['a\\', 'backslash'],
    ['[^é]', 'ASCII'],
    ['('.repeat(60) + ')'.repeat(60), 'nested'],
  ])('%s is refused', (pattern, reason) => {
    expect(() => createScanner(pattern)).toThrow(reason)
  })

  it('finds the lines that the regular expressions of the language find', () => {
    const piece = fc.constantFrom(
      'a',
      'b',
      '[ab]',
      '.',
      'a|b',
      '(?:ab)',
      'a+',
      'b*',
      'a?',
      '\\b',
      '\\B',
      '^',
      '$',
      '[^a]',
      'a{2}',
      '\\w',
      '\\s',
      '[bc]',
      'a..a',
    )
    const pattern = fc
      .array(piece, { minLength: 1, maxLength: 5 })
      .map((all) => `(?:${all.join('')})c`)
    const text = fc.array(fc.constantFrom('a', 'b', 'c', ' ', '\n', 'é'), { maxLength: 14 })
    fc.assert(
      fc.property(pattern, text, (source, characters) => {
        const all = characters.join('')
        const own = findTexts(source, all)
        const starts = new Set(
          [...all.matchAll(new RegExp(source, 'gmu'))].map(({ index }) => index),
        )
        expect(own.length > 0).toBe(starts.size > 0)
        // The first match begins at the same position in both.
        if (own.length > 0) {
          const [first = ''] = own
          const [theirs] = [...starts].sort((a, b) => a - b)
          expect(all.startsWith(first, theirs)).toBe(true)
        }
      }),
      // A failure prints the seed and the path with which it can be repeated.
      {
        numRuns: 500,
        examples: [
          ['(?:.[^a])c', ['é', 'c']],
          ['(?:\\B.)c', ['a', 'é', 'c']],
          ['(?:a..a|b)c', ['a', 'b', 'c', 'a', 'c']],
        ],
      },
    )
  })

  it('takes bytes that are not UTF-8 as characters', () => {
    const find = (pattern: string, bytes: number[]) =>
      createScanner(pattern).findAll(Buffer.from(bytes).toString('latin1'))
    expect(find('a.c', [0x61, 0xe9, 0x63])).toEqual([[0, 3]])
    expect(find('a.c', [0x61, 0x80, 0x63])).toEqual([[0, 3]])
    expect(find('a.+c', [0x61, 0x80, 0xbf, 0xff, 0xc3, 0x63])).toEqual([[0, 6]])
    expect(find('c.', [0x63, 0xe2, 0x82])).toEqual([[0, 3]])
  })

  it('takes linear time if many matches begin before others end', () => {
    const scanner = createScanner('a.*z|b')
    const started = performance.now()
    expect(scanner.findAll('ab'.repeat(100_000))).toHaveLength(100_000)
    expect(performance.now() - started).toBeLessThan(20_000)
  }, 60_000)

  it.each(['(a+)+b', '(a|a)*b', 'a*a*a*a*b', '(.*)*x', 'a|a.*b', '(?:a?){50}a{50}b'])(
    '%s takes linear time',
    (pattern) => {
      const started = performance.now()
      expect(createScanner(`(?:${pattern})c`).findAll('a'.repeat(200_000))).toEqual([])
      expect(performance.now() - started).toBeLessThan(20_000)
    },
    60_000,
  )
})
