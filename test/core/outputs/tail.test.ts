import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { queryOutput } from '../../../src/core/outputs/query/query-output.ts'
import { createOpenOutput, readAllPages } from './open-output.ts'

const QUERY = {
  streams: ['stdout', 'stderr'],
  contextLines: 0,
  maxExcerpts: 100,
  view: 'raw',
} as const
const content = fc
  .array(fc.constantFrom('a', '', 'é', 'needle', 'xx'), { maxLength: 25 })
  .map((lines) => Buffer.from(lines.join('\n')))

/** Numbers of the last lines, without the empty one after a line end. */
function listLast(bytes: Buffer, count: number): number[] {
  const lines = bytes.toString().split('\n')
  if (lines.at(-1) === '') lines.pop()
  return lines.map((_, at) => at + 1).slice(-count)
}

describe('the tail of an output', () => {
  it('is the last lines of each stream, on as many pages as it needs', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.record({ stdout: content, stderr: content }),
        fc.integer({ min: 1, max: 30 }),
        fc.integer({ min: 1, max: 8 }),
        async ({ stdout, stderr }, tail, maxExcerpts) => {
          const output = createOpenOutput({ stdout, stderr }, 5)
          const found = await readAllPages(output, { ...QUERY, terms: [], tail, maxExcerpts })
          const expected = [
            ...listLast(stdout, tail).map((each) => ['stdout', each]),
            ...listLast(stderr, tail).map((each) => ['stderr', each]),
          ]
          expect(found.lines).toEqual(expected)
          const all = listLast(stdout, 100).length + listLast(stderr, 100).length
          expect(found.first.omitted).toBe(all - expected.length)
        },
      ),
      { numRuns: 300 },
    )
  })

  it('is the last matches with terms; context does not show earlier matches', async () => {
    const stdout = Buffer.from('a\nhit 1\nb\nhit 2\nc\nhit 3\nd\nhit 4\n')
    const output = createOpenOutput({ stdout, stderr: Buffer.alloc(0) }, 7)
    const query = { ...QUERY, terms: ['HIT'], tail: 2, contextLines: 3 }
    expect(await queryOutput(output, query)).toMatchObject({
      excerpts: [{ lineStart: 5, lineEnd: 9, content: 'c\nhit 3\nd\nhit 4\n', source: 'stdout' }],
      matchCount: 4,
      omitted: 2,
      matchStatus: 'matched',
    })
    const more = await queryOutput(output, { ...query, tail: 9 })
    expect(more).toMatchObject({ matchCount: 4, omitted: 0, excerpts: [{ lineStart: 1 }] })
  })

  it('shows a last line that is longer than a page in parts', async () => {
    const text = 'é'.repeat(400_000)
    const stdout = Buffer.from(`first\n${text}\n`)
    const output = createOpenOutput({ stdout, stderr: Buffer.from('end') }, 10_000)
    const found = await readAllPages(output, { ...QUERY, terms: [], tail: 1 })
    expect(found.texts.slice(0, -1).join('') === text).toBe(true)
    expect(found.texts.at(-1)).toBe('end')
    expect(found.first.omitted).toBe(1)
  })
})
