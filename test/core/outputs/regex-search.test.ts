import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createRegexMatcher, refuseRegexes } from '../../../src/core/outputs/query/match-regex.ts'
import { queryOutput } from '../../../src/core/outputs/query/query-output.ts'
import { createOpenOutput, readAllPages } from './open-output.ts'

const QUERY = {
  streams: ['stdout', 'stderr'],
  isRegex: true,
  contextLines: 0,
  maxExcerpts: 100,
  view: 'raw',
} as const

/** Expressions whose meaning in V8 is the same, with the flags i and u. */
const regex = fc.constantFrom(
  'a',
  '^a',
  'b$',
  '^$',
  '^a+b*$',
  'a.b',
  String.raw`\bab\b`,
  String.raw`\Bb`,
  '[^a]b',
  '[^k-s]é',
  '(ab|ba){2,3}',
  'é+',
  'k',
  String.raw`\s`,
  String.raw`a\sb`,
  String.raw`a\nb`,
  'x*',
  'b{3}',
  '(a|b)*c',
  '.é.',
)
const line = fc.oneof(
  { weight: 8, arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'é', 'É', ' ', 'c') }) },
  { weight: 2, arbitrary: fc.constantFrom('', 'abab', 'K', 'needle K', '😀é😀') },
  { weight: 1, arbitrary: fc.integer({ min: 100, max: 900 }).map((n) => `${'ab'.repeat(n)}c`) },
)
const content = fc.array(line, { maxLength: 30 }).map((lines) => Buffer.from(lines.join('\n')))

function listMatchingLines(bytes: Buffer, patterns: readonly string[]): number[] {
  if (bytes.length === 0) return []
  return bytes
    .toString()
    .split('\n')
    .flatMap((text, at) =>
      patterns.some((each) => new RegExp(each, 'iu').test(text)) ? at + 1 : [],
    )
}

describe('a search with regular expressions', () => {
  it('finds the lines that V8 finds, however the output is divided', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ stdout: content, stderr: content }),
        fc.record({
          terms: fc.array(regex, { minLength: 1, maxLength: 3 }),
          tail: fc.option(fc.integer({ min: 1, max: 6 }), { nil: undefined }),
          maxExcerpts: fc.integer({ min: 1, max: 4 }),
        }),
        fc.integer({ min: 1, max: 40 }),
        async ({ stdout, stderr }, { terms, tail, maxExcerpts }, piece) => {
          const output = createOpenOutput({ stdout, stderr }, piece)
          const found = await readAllPages(output, { ...QUERY, terms, tail, maxExcerpts })
          const cut = (lines: number[]) => (tail === undefined ? lines : lines.slice(-tail))
          const [first, second] = [stdout, stderr].map((each) => listMatchingLines(each, terms))
          const expected = [
            ...cut(first as number[]).map((each) => ['stdout', each]),
            ...cut(second as number[]).map((each) => ['stderr', each]),
          ]
          expect(found.lines).toEqual(expected)
          const total = (first as number[]).length + (second as number[]).length
          expect(found.first.matchCount).toBe(total)
          expect(found.first.omitted).toBe(tail === undefined ? undefined : total - expected.length)
        },
      ),
      { numRuns: 200 },
    )
  })

  it('needs linear time where V8 needs exponential time', async () => {
    // Control: each further character doubles the time of V8.
    const time = (length: number) => {
      const startedAt = performance.now()
      expect(/^(a+)+$/.test(`${'a'.repeat(length)}!`)).toBe(false)
      return performance.now() - startedAt
    }
    time(10)
    expect(time(24)).toBeGreaterThan(20 * time(16))
    const stdout = Buffer.from(`${'a'.repeat(2_000_000)}!\n${'a'.repeat(30)}\n`)
    const output = createOpenOutput({ stdout, stderr: Buffer.alloc(0) }, 65_536)
    for (const hostile of ['^(a+)+$', '^(a|a)*$', '^(a|aa)+$', '^(a*)*$', '^(.*a){20}$']) {
      const { excerpts } = await queryOutput(output, {
        ...QUERY,
        terms: [hostile],
        contextLines: 0,
      })
      expect([hostile, excerpts[0]?.lineStart]).toEqual([hostile, 2])
    }
  })

  it('refuses to compute more states than the limit', async () => {
    // Each state of the last 400 characters is remembered separately: a new set for each byte.
    let seed = 1
    const next = () => (seed = (seed * 48_271) % 2_147_483_647) % 2 === 0
    const stdout = Buffer.from(Array.from({ length: 20_000 }, () => (next() ? 'a' : 'b')).join(''))
    const output = createOpenOutput({ stdout, stderr: Buffer.alloc(0) }, 65_536)
    const search = queryOutput(output, { ...QUERY, terms: ['a.{400}a.{400}c'] })
    await expect(search).rejects.toThrow('too many steps')
  })

  it('matches in a line that is much longer than a piece', async () => {
    const stdout = Buffer.from(`x\n${'é'.repeat(200_000)}start${'-'.repeat(100_000)}END\nx`)
    const output = createOpenOutput({ stdout, stderr: Buffer.alloc(0) }, 1000)
    const { excerpts, matchCount } = await queryOutput(output, {
      ...QUERY,
      terms: ['^é+START-{1,}end$'],
    })
    expect(matchCount).toBe(1)
    expect(excerpts[0]).toMatchObject({ lineStart: 2, lineEnd: 2 })
    expect(excerpts[0]?.content).toMatch(/^é{500}… \(\+/)
  })

  it('ends each stream separately', () => {
    const matcher = createRegexMatcher(['ab'])
    expect(matcher.find(Buffer.from('a'), 0)).toBe(-1)
    matcher.restart()
    expect(matcher.find(Buffer.from('b'), 0)).toBe(-1)
    expect(matcher.matchesAtEnd()).toBe(false)
  })

  it.each([
    ['a(b', 'a group is not closed'],
    [String.raw`(a)\1`, 'back-references are not supported'],
    ['(?=a)', 'lookaround and flags are not supported'],
    ['((a{1000}){1000}){1000}', 'it is too complex'],
    ['x'.repeat(1001), 'it has more than 1000 characters'],
  ])('%s is refused', (pattern, reason) => {
    const name = JSON.stringify(pattern)
    expect(refuseRegexes(['ok', pattern])).toBe(
      `the regular expression ${name} cannot be used: ${reason}`,
    )
  })

  it('refuses expressions that are too complex together', () => {
    const pattern = '(1{100}){150}'
    expect(refuseRegexes([pattern])).toBeUndefined()
    expect(refuseRegexes([pattern, pattern])).toContain(
      'together cannot be used: it is too complex',
    )
    expect(refuseRegexes(['x'.repeat(1000), '[^ks]', 'a*'])).toBeUndefined()
  })
})
