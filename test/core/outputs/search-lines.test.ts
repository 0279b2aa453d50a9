import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { createTermMatcher } from '../../../src/core/outputs/query/match-terms.ts'
import { LineSearch } from '../../../src/core/outputs/query/search-lines.ts'
import { SearchPage } from '../../../src/core/outputs/query/search-page.ts'
import { naiveSearch, type NaiveOptions } from './naive-search.ts'

/** Text with many matches, in lines of very different length, some of them not UTF-8. */
const line = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.string({ unit: fc.constantFrom('a', 'b', 'A', 'é', '\r', 'n', 'K') }),
  },
  { weight: 2, arbitrary: fc.constantFrom('needle', 'xxNEEDLExx', '', 'É', 'ab') },
  { weight: 1, arbitrary: fc.integer({ min: 480, max: 1700 }).map((n) => 'é😀x'.repeat(n / 3)) },
)
const bytes = fc.oneof(
  { weight: 8, arbitrary: line.map((text) => Buffer.from(text)) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 12 }).map((each) => Buffer.from(each)) },
)
const content = fc
  .array(bytes, { maxLength: 40 })
  .chain((lines) =>
    fc.boolean().map((isEnded) => Buffer.from(joinLines(lines) + (isEnded ? '\n' : ''), 'latin1')),
  )
const term = fc.constantFrom('a', 'needle', 'É', 'k', 'ab', 'zzz', '', 'b\r', 'é😀x', 'a.b', 'a\nb')

function joinLines(lines: readonly Buffer[]): string {
  return lines.map((each) => each.toString('latin1')).join('\n')
}

function searchInPieces(
  all: { stdout: Buffer; stderr: Buffer },
  options: NaiveOptions,
  piece: number,
) {
  const page = new SearchPage(options)
  const matcher = createTermMatcher(options.terms)
  for (const source of options.streams) {
    if (options.cursor.stream === 'stderr' && source === 'stdout') continue
    const afterLine = options.cursor.stream === source ? options.cursor.afterLine : 0
    const lines = new LineSearch({ source, matcher, page, afterLine, lineEndsBefore: 0 })
    const reused = Buffer.alloc(piece)
    for (let at = 0; at < all[source].length; at += piece) {
      const size = all[source].copy(reused, 0, at, at + piece)
      lines.push(reused.subarray(0, size))
    }
    lines.end()
  }
  const { excerpts, matchCount, nextCursor } = page
  return { excerpts, matchCount, nextCursor }
}

const queryOptions = fc.record({
  terms: fc.array(term, { minLength: 1, maxLength: 3 }),
  contextLines: fc.integer({ min: 0, max: 4 }),
  maxExcerpts: fc.integer({ min: 1, max: 4 }),
  cursor: fc.record({
    stream: fc.constantFrom('stdout' as const, 'stderr' as const),
    afterLine: fc.oneof(fc.constant(0), fc.integer({ min: 0, max: 30 })),
  }),
  streams: fc.constant(['stdout', 'stderr'] as const),
})

describe('a line search', () => {
  it('finds the same lines as a naive search', () => {
    fc.assert(
      fc.property(
        fc.tuple(content, content),
        queryOptions,
        fc.integer({ min: 1, max: 64 }),
        ([stdout, stderr], options, piece) => {
          expect(searchInPieces({ stdout, stderr }, options, piece)).toEqual(
            naiveSearch({ stdout, stderr }, options),
          )
        },
      ),
      { numRuns: 1000 },
    )
  })

  it('returns the same excerpts on several pages as on one large page', () => {
    fc.assert(
      fc.property(content, content, queryOptions, (stdout, stderr, options) => {
        const whole = searchInPieces({ stdout, stderr }, { ...options, maxExcerpts: 1000 }, 50)
        const paged = []
        let { cursor } = options
        for (;;) {
          const page = searchInPieces({ stdout, stderr }, { ...options, cursor }, 50)
          paged.push(...page.excerpts)
          if (!page.nextCursor) break
          expect(page.excerpts.length).toBe(options.maxExcerpts)
          cursor = page.nextCursor
        }
        expect(paged).toEqual(whole.excerpts)
      }),
      { numRuns: 400 },
    )
  })

  it('never extends an excerpt beyond its maximum', () => {
    const stdout = Buffer.from('a\n'.repeat(450) + 'b\n'.repeat(20))
    const options = {
      terms: ['a'],
      contextLines: 3,
      maxExcerpts: 2,
      cursor: { stream: 'stdout', afterLine: 0 },
      streams: ['stdout'],
    } as const
    const found = searchInPieces({ stdout, stderr: Buffer.alloc(0) }, options, 64)
    expect(found.excerpts.map(({ lineStart, lineEnd }) => [lineStart, lineEnd])).toEqual([
      [1, 200],
      [201, 400],
    ])
    expect(found).toMatchObject({
      matchCount: 450,
      nextCursor: { stream: 'stdout', afterLine: 400 },
    })
    expect(found).toEqual(naiveSearch({ stdout, stderr: Buffer.alloc(0) }, options))
  })

  it('returns the beginning of an endless line', () => {
    const stdout = Buffer.from(`${'é'.repeat(300_000)}needle${'x'.repeat(100_000)}`)
    const options = {
      terms: ['NEEDLE'],
      contextLines: 1,
      maxExcerpts: 1,
      cursor: { stream: 'stdout', afterLine: 0 },
      streams: ['stdout'],
    } as const
    const [found] = searchInPieces({ stdout, stderr: Buffer.alloc(0) }, options, 1000).excerpts
    expect(found?.content).toBe(`${'é'.repeat(500)}… (+399506) [truncated]`)
  })
})
