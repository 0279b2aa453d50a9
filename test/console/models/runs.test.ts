import fc from 'fast-check'
import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { parseTable } from '../../../src/console/models/csv.ts'
import { compareValues } from '../../../src/console/models/compare-records.ts'
import { formatCommandLine, quoteWord } from '../../../src/console/models/copy-call.ts'
import { formatMs } from '../../../src/console/models/durations.ts'
import { countByTime, describeCounts } from '../../../src/console/models/histogram.ts'
import { groupLastRuns } from '../../../src/console/models/last-runs.ts'
import { LogLines, selectLines } from '../../../src/console/models/log-lines.ts'
import { findPreviewKind } from '../../../src/console/models/preview-kind.ts'
import { readFilter } from '../../../src/console/models/run-filter.ts'
import { escapeText } from '../../../src/console/models/run-report.ts'
import { layOutPhases } from '../../../src/console/models/waterfall.ts'

describe('the lines of a log', () => {
  it('are those of the text, however it is cut into pieces', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', '\n', 'bc', '\n\n', '[info] x')), (pieces) => {
        const log = new LogLines()
        for (const each of pieces) log.add(each)
        const lines = pieces.join('').split('\n')
        if (lines.at(-1) === '') lines.pop()
        expect(log.lines).toEqual(lines)
      }),
    )
  })

  it('are selected by text and by the lowest level; lines without a level are informative', () => {
    const lines = ['[debug] a', '[info] b', 'plain', '[error] B']
    expect(selectLines(lines, { text: '', level: 'info' })).toEqual([1, 2, 3])
    expect(selectLines(lines, { text: 'b', level: 'debug' })).toEqual([0, 1, 3])
    expect(selectLines(lines, { text: 'b', level: 'error' })).toEqual([3])
  })

  it('beyond the limit are counted', () => {
    const log = new LogLines()
    const text = 'x'.repeat(20 * 1024 ** 2)
    log.add(text)
    log.add(text)
    expect([log.lines.length, log.dropped]).toEqual([1, text.length])
  })
})

describe('a table', () => {
  const FIELD = fc.string({ unit: fc.constantFrom(...'ab,"\n\r\t ') })

  it('has the fields that were written', () => {
    const table = fc.array(fc.array(FIELD, { minLength: 1 }), { minLength: 1 })
    fc.assert(
      fc.property(table, (rows) => {
        const text = rows
          .map((row) => row.map((field) => `"${field.replaceAll('"', '""')}"`).join(','))
          .join('\n')
        expect(parseTable(text, ',', { maxRows: 1000, maxColumns: 100 })).toEqual({
          rows,
          isCut: false,
          isNarrowed: false,
        })
      }),
    )
  })

  it('has at most the wanted columns, and says that there are more', () => {
    const table = parseTable('1,2,3,4\na,b\n', ',', { maxRows: 5, maxColumns: 3 })
    expect(table).toEqual({
      rows: [
        ['1', '2', '3'],
        ['a', 'b'],
      ],
      isCut: false,
      isNarrowed: true,
    })
    const wide = parseTable(','.repeat(2_000_000), ',', { maxRows: 5, maxColumns: 100 })
    expect(wide.rows[0]).toHaveLength(100)
  })

  it('of any text has an end, and at most the wanted rows', () => {
    fc.assert(
      fc.property(FIELD, (text) => {
        expect(
          parseTable(text, ',', { maxRows: 2, maxColumns: 100 }).rows.length,
        ).toBeLessThanOrEqual(2)
      }),
    )
    expect(parseTable('a\nb\nc\n', ',', { maxRows: 2, maxColumns: 100 })).toEqual({
      rows: [['a'], ['b']],
      isCut: true,
      isNarrowed: false,
    })
    expect(parseTable('a\t"b\tc"\r\n', '\t', { maxRows: 2, maxColumns: 100 }).rows).toEqual([
      ['a', 'b\tc'],
    ])
  })
})

describe('a copied command', () => {
  it('has words that a shell reads as they were', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'a\'"$`\\ \n*;é') }), (text) => {
        const printed = execFileSync('sh', ['-c', `printf %s ${quoteWord(`x${text}`)}`], {
          encoding: 'utf8',
        })
        expect(printed).toBe(`x${text}`)
      }),
      { numRuns: 50 },
    )
  })

  it('names the skill, its arguments, blobs and limit', () => {
    const call = {
      name: 'demo.greet',
      version: '1.0.0',
      args: { name: "O'Brien" },
      inputBlobs: ['blob_1'],
      timeoutMs: 5000,
    }
    expect(formatCommandLine(call, 'http://127.0.0.1:8080')).toBe(
      `skills exec demo.greet@1.0.0 --args '{"name":"O'\\''Brien"}' --input-blob blob_1 --timeout 5000ms --url http://127.0.0.1:8080`,
    )
  })
})

it('a report has no markup of its values', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      expect(escapeText(text)).not.toMatch(/[<>"'\u202e\u0000]/)
    }),
  )
  expect(escapeText('<script>&"\u202e')).toBe('&#60;script&#62;&#38;&#34;\\u202e')
})

it('phases are laid out one after the other, and fill the whole width', () => {
  const { bars, totalMs } = layOutPhases([
    { name: 'wait', ms: 1 },
    { name: 'channel', ms: 3 },
  ])
  expect(totalMs).toBe(4)
  expect(bars.map(({ start, width }) => [start, width])).toEqual([
    [0, 0.25],
    [0.25, 0.75],
  ])
  expect(layOutPhases([{ name: 'wait', ms: 0 }]).bars[0]?.width).toBe(0)
})

it('every run is counted in one span of time', () => {
  const time = fc.integer({ min: 0, max: 1e12 }).map((ms) => new Date(ms).toISOString())
  const run = fc.record({ started_at: time, status: fc.constantFrom('completed', 'failed') })
  fc.assert(
    fc.property(fc.array(run, { maxLength: 50 }), (runs) => {
      const counted = countByTime(runs, 7)
      expect(counted.reduce((sum, { total }) => sum + total, 0)).toBe(runs.length)
    }),
  )
})

it('refused runs are not counted as failed', () => {
  const started_at = '2026-01-01T00:00:00Z'
  const statuses = ['failed', 'refused', 'not_started', 'completed', 'interrupted', 'refused']
  const [counted] = countByTime(
    statuses.map((status) => ({ started_at, status })),
    1,
  )
  expect(counted).toMatchObject({ total: 6, failed: 3, refused: 2 })
  expect(describeCounts({ total: 6, failed: 3, refused: 2 })).toBe('6 runs, 3 failed, 2 refused')
  expect(describeCounts({ total: 1, failed: 0, refused: 0 })).toBe('1 run')
})

it('two values are compared place by place', () => {
  expect(compareValues({ a: 1, b: [1, 2] }, { a: 2, c: null })).toEqual([
    { path: 'a', before: '1', after: '2', isSame: false },
    { path: 'b[0]', before: '1', after: undefined, isSame: false },
    { path: 'b[1]', before: '2', after: undefined, isSame: false },
    { path: 'c', before: undefined, after: 'null', isSame: false },
  ])
})

it.each([
  [0.5, '0.50 ms'],
  [9.94, '9.9 ms'],
  [43.2, '43 ms'],
  [1240, '1.24 s'],
  [2000, '2 s'],
  [125_000, '2 min 5 s'],
  [3_780_000, '1 h 3 min'],
])('%d milliseconds are %s', (ms, text) => {
  expect(formatMs(ms)).toBe(text)
})

it.each([
  ['image/svg+xml', 'image'],
  ['text/csv; charset=utf-8', 'table'],
  ['application/ld+json', 'json'],
  ['text/html', 'html'],
  ['text/x-python', 'text'],
  ['application/pdf', 'none'],
  ['constructor', 'none'],
])('a blob of the type %s is shown as %s', (type, kind) => {
  expect(findPreviewKind(type)).toBe(kind)
})

it('a filter has what its address says, without values that no run has', () => {
  const search = new URLSearchParams('status=failed&kind=x&from=cli&last=1h&text=a')
  expect(readFilter(search, Date.parse('2026-01-01T10:00:30Z'))).toEqual({
    status: 'failed',
    entry_point: 'cli',
    since: '2026-01-01T09:00:00.000Z',
    text: 'a',
  })
  expect(readFilter(new URLSearchParams('since=never'))).toEqual({})
})

it('a skill has its last runs, the newest at the end', () => {
  const rows = Array.from({ length: 8 }, (_, at) => ({
    run_id: `run_${at}`,
    target: at % 2 === 0 ? 'demo.even@1.0.0' : 'demo.odd@1.0.0',
  }))
  const groups = groupLastRuns([...rows, ...rows] as never)
  const ids = groups.get('demo.even@1.0.0')?.map(({ run_id }) => run_id)
  expect(ids).toEqual(['run_0', 'run_6', 'run_4', 'run_2', 'run_0'])
  expect(groups.get('demo.none@1.0.0')).toBeUndefined()
})
