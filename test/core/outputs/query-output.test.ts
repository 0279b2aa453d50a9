import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { openOutputStore } from '../../../src/core/outputs/store/file-output-store.ts'
import type { Excerpt } from '../../../src/core/outputs/view/output-view.ts'
import type { QueryOutputParams } from '../../../src/core/methods/runtime-query-output/definition.ts'
import { queryRunOutput } from '../../../src/core/methods/runtime-query-output/handler.ts'
import { createRunId } from '../../../src/core/runs/history/run-id.ts'
import { openRunStore } from '../../../src/core/runs/history/file-run-store.ts'
import { createFolder } from '../../helpers/skills.ts'
import { naiveSearch } from './naive-search.ts'

const LIMITS = { maxOutputBytes: 1e9, quotaBytes: 1e9, ttlMs: 3_600_000 }

type OutputQueryParams = Omit<QueryOutputParams, 'artifactHandle'>

async function storeOutput(content: {
  stdout?: string | Buffer
  stderr?: string | Buffer
  language?: string
}) {
  const data = createFolder()
  const outputs = openOutputStore(join(data, 'outputs'), LIMITS)
  const runs = openRunStore(join(data, 'runs'), LIMITS)
  const { language } = content
  const writer = outputs.open({ runId: createRunId(), owner: undefined, language })
  for (const name of ['stdout', 'stderr'] as const) {
    await writer[name].write(Buffer.from(content[name] ?? ''))
  }
  const stored = await writer.finish({ status: 'success', exitCode: 0, signal: null })
  if ('notKept' in stored) throw new Error(stored.message)
  const stores = { outputs: async () => outputs, runs: async () => runs }
  return async (query: OutputQueryParams) =>
    await queryRunOutput(stores as never, { artifactHandle: stored.handle, ...query })
}

function listPositions(excerpts: readonly Excerpt[]): (string | number)[][] {
  return excerpts.map(({ source, lineStart, lineEnd }) => [source, lineStart, lineEnd])
}

const LINES = 'one\nneedle 1\nthree\nneedle 2\nfive\n'

describe('an output query', () => {
  it('returns lines with a term, and counts those that do not fit on the page', async () => {
    const query = await storeOutput({ stdout: LINES })
    const first = await query({ queryTerms: ['NEEDLE'], maxExcerpts: 1, contextLines: 0 })
    expect(first).toMatchObject({
      excerpts: [{ lineStart: 2, lineEnd: 2, content: 'needle 1', source: 'stdout' }],
      matchStatus: 'matched',
      matchCount: 2,
      totalLines: 6,
      totalBytes: LINES.length,
      nextCursor: { stream: 'stdout', afterLine: 2 },
    })
    const { nextCursor: cursor } = first
    const next = await query({ queryTerms: ['needle'], maxExcerpts: 1, contextLines: 0, cursor })
    expect(listPositions(next.excerpts)).toEqual([['stdout', 4, 4]])
    expect(next).not.toHaveProperty('nextCursor')
  })

  it('ends with the last match, also if a window contains several', async () => {
    const query = await storeOutput({ stdout: LINES })
    const found = await query({ queryTerms: ['needle'], maxExcerpts: 1, contextLines: 3 })
    expect(listPositions(found.excerpts)).toEqual([['stdout', 1, 6]])
    expect(found.matchCount).toBe(2)
    expect(found).not.toHaveProperty('nextCursor')
  })

  it('merges windows that touch', async () => {
    const query = await storeOutput({ stdout: 'x\n\n\nx\n\n\n\nx' })
    const found = await query({ queryTerms: ['x'], contextLines: 1 })
    expect(listPositions(found.excerpts)).toEqual([
      ['stdout', 1, 5],
      ['stdout', 7, 8],
    ])
  })

  it('continues in stderr after a cursor in stdout', async () => {
    const query = await storeOutput({ stdout: 'error 1\n', stderr: 'fine\nerror 2\n' })
    const first = await query({ queryTerms: ['error'], maxExcerpts: 1, contextLines: 0 })
    expect(first).toMatchObject({ matchCount: 2, nextCursor: { stream: 'stderr', afterLine: 0 } })
    const cursor = { stream: 'stdout' as const, afterLine: 1 }
    const second = await query({ queryTerms: ['error'], contextLines: 0, cursor })
    expect(listPositions(second.excerpts)).toEqual([['stderr', 2, 2]])
    const only = await query({ queryTerms: ['error'], stream: 'stdout', cursor })
    expect(only).toMatchObject({ excerpts: [], matchStatus: 'noMatch', matchCount: 0 })
  })

  it('returns the first lines with status noMatchFallback if nothing matches', async () => {
    const query = await storeOutput({ stderr: `${'x'.repeat(600)}\ntwo\nthree` })
    const found = await query({ queryTerms: ['absent'], maxExcerpts: 2 })
    expect(found).toMatchObject({ matchStatus: 'noMatchFallback', matchCount: 0 })
    expect(found.excerpts).toEqual([
      {
        lineStart: 1,
        lineEnd: 2,
        source: 'stderr',
        content: `${'x'.repeat(500)}… (+100) [truncated]\ntwo`,
      },
    ])
    const nothing = await (await storeOutput({}))({ queryTerms: ['x'] })
    expect(nothing).toMatchObject({ excerpts: [], matchStatus: 'noMatch', totalLines: 0 })
  })

  it('treats every character of a term literally', async () => {
    const query = await storeOutput({ stdout: 'line\nl.ne\n' })
    expect(
      listPositions((await query({ queryTerms: ['l.ne'], contextLines: 0 })).excerpts),
    ).toEqual([['stdout', 2, 2]])
  })

  it('returns unprocessed lines of any length', async () => {
    const long = 'é'.repeat(700)
    const query = await storeOutput({ stdout: `1\n2\n${long}\n4` })
    const read = async (startLine: number, endLine: number) =>
      (await query({ lineRange: { stream: 'stdout', startLine, endLine } })).excerpts
    expect(await read(2, 3)).toMatchObject([{ lineStart: 2, lineEnd: 3, content: `2\n${long}` }])
    expect(await read(4, 900)).toMatchObject([{ lineStart: 4, lineEnd: 4, content: '4' }])
    expect(await read(5, 6)).toEqual([])
  })

  it('returns binary content as base64 in view raw', async () => {
    const bytes = Buffer.from([0x61, 0xff, 0x0d, 0x0a, 0xc3])
    const query = await storeOutput({ stdout: bytes })
    const lineRange = { stream: 'stdout', startLine: 1, endLine: 2 } as const
    const [raw] = (await query({ lineRange, view: 'raw' })).excerpts
    expect(Buffer.from(raw?.content ?? '', 'base64')).toEqual(bytes)
    expect(raw?.encoding).toBe('base64')
    expect((await query({ lineRange })).excerpts[0]?.content).toBe('a\ufffd\r\n\ufffd')
  })

  it('omits colours and durations of tests in view model', async () => {
    const stdout = '\u001b[32m✔ adds (1.25ms)\u001b[39m\n'
    const query = await storeOutput({ stdout, language: 'node' })
    const ask = { queryTerms: ['adds'], contextLines: 0 }
    expect((await query(ask)).excerpts[0]?.content).toBe('✔ adds')
    expect((await query({ ...ask, view: 'raw' })).excerpts[0]?.content).toBe(stdout.trimEnd())
  })

  it.each<[string, OutputQueryParams]>([
    ['too many terms', { queryTerms: Array.from({ length: 11 }, () => 'x') }],
    [
      'a range that ends before it begins',
      { lineRange: { stream: 'stdout', startLine: 3, endLine: 2 } },
    ],
    [
      'another stream than the cursor',
      { stream: 'stderr', cursor: { stream: 'stdout', afterLine: 0 } },
    ],
    ['too many excerpts', { queryTerms: ['x'], maxExcerpts: 101 }],
    ['no excerpts', { queryTerms: ['x'], maxExcerpts: 0 }],
    ['too much context', { queryTerms: ['x'], contextLines: 21 }],
  ])('rejects %s', async (_, query) => {
    await expect((await storeOutput({ stdout: 'x' }))(query)).rejects.toMatchObject({
      code: 'params/invalid',
    })
  })
})

describe('the pages of an output query', () => {
  const anyLines = fc.array(
    fc.oneof(fc.string({ unit: 'grapheme', maxLength: 8 }), fc.constant(''), fc.constant('\r')),
    { maxLength: 30 },
  )

  it('contain every line of both streams once, byte for byte', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyLines,
        anyLines,
        fc.integer({ min: 1, max: 7 }),
        async (out, err, maxExcerpts) => {
          const [stdout, stderr] = [out.join('\n'), err.join('\n')]
          const query = await storeOutput({ stdout, stderr })
          const pages = { stdout: [] as string[], stderr: [] as string[] }
          let cursor: OutputQueryParams['cursor'] = { stream: 'stdout', afterLine: 0 }
          while (cursor) {
            const page = await query({ cursor, maxExcerpts, view: 'raw' })
            for (const { source, content: text } of page.excerpts) pages[source].push(text)
            cursor = page.nextCursor
          }
          expect(pages.stdout.join('\n')).toBe(stdout)
          expect(pages.stderr.join('\n')).toBe(stderr)
        },
      ),
      { numRuns: 30 },
    )
  })

  it('split a line that is longer than a page', async () => {
    const line = 'é'.repeat(400_000)
    const query = await storeOutput({ stdout: `first\n${line}\nlast` })
    let text = ''
    let cursor: OutputQueryParams['cursor'] = { stream: 'stdout', afterLine: 1 }
    let pages = 0
    while (cursor && pages < 10) {
      const page = await query({ cursor, maxExcerpts: 1 })
      expect(page.excerpts).toHaveLength(1)
      if (page.excerpts[0]?.lineStart === 2) text += page.excerpts[0].content
      cursor = page.nextCursor
      pages += 1
    }
    expect(text).toBe(line)
    expect(pages).toBe(5)
  })

  it('equal a naive line-by-line search, across gzip members', async () => {
    const words = ['alpha', 'beta', 'Needle', 'gamma', '']
    const random = randomBytes(40_000)
    const lines = Array.from(random, (byte) => words[byte % 251 === 0 ? 2 : byte % 2] as string)
    const stdout = Buffer.from(lines.map((word) => `${word} ${'.'.repeat(20)}`).join('\n'))
    const query = await storeOutput({ stdout })
    const how = { contextLines: 2, maxExcerpts: 100 }
    const streams = ['stdout', 'stderr'] as const
    let cursor: NonNullable<OutputQueryParams['cursor']> | undefined = {
      stream: 'stdout',
      afterLine: 0,
    }
    while (cursor) {
      const page = await query({ queryTerms: ['needle'], cursor, ...how })
      const { excerpts, matchCount, nextCursor } = page
      const content = { stdout, stderr: Buffer.alloc(0) }
      expect({ excerpts, matchCount, nextCursor }).toEqual(
        naiveSearch(content, { terms: ['needle'], cursor, streams, ...how }),
      )
      cursor = nextCursor
    }
  })
})
