import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  appendOlder,
  CSV_HEADER,
  describeOutcome,
  describeTarget,
  formatCsvLine,
  listRows,
  prependNewer,
  type AuditRow,
} from '../../../src/console/models/audit-rows.ts'
import {
  averageByLabel,
  parseMetrics,
  readMetric,
  sumByLabel,
} from '../../../src/console/models/metrics.ts'
import {
  formatPolicyCommand,
  formatPolicyPath,
  readPolicyForm,
  toPolicyRequest,
} from '../../../src/console/models/policy-request.ts'
import { formatBytes, formatDuration } from '../../../src/console/models/quantities.ts'
import { parseTimeFilter } from '../../../src/console/pages/audit/audit-filter.ts'
import { makeMetrics } from '../../../src/server/telemetry/metrics.ts'
import { createEntry } from '../../core/audit/entries.ts'

const row = (seq: number, change: object = {}): AuditRow => ({
  ...createEntry(),
  seq,
  time: '2026-11-27T00:00:00.000Z',
  prev: '',
  hash: 'h',
  ...change,
})

/** Rows of a single server, whose positions are their numbers. */
const listed = (...records: AuditRow[]) => listRows({ records })

describe('rows of the audit log', () => {
  it('an end that arrives replaces the beginning of its run', () => {
    const rows = listed(row(3, { event: 'begun', run_id: 'run_a' }), row(2))
    const newer = listed(row(4, { event: 'ended', run_id: 'run_a' }), row(2))
    expect(prependNewer(rows, newer)?.map(({ position }) => position)).toEqual([4, 2])
    expect(prependNewer(rows, rows)).toBe(rows)
    expect(prependNewer([], newer)).toHaveLength(2)
  })

  it('a page without a known row asks to read the list again', () => {
    expect(prependNewer(listed(row(1)), listed(row(9), row(8)))).toBeUndefined()
  })

  it('older pages repeat no row', () => {
    const older = appendOlder(listed(row(5), row(4)), listed(row(4), row(3)))
    expect(older.map(({ position }) => position)).toEqual([5, 4, 3])
  })

  it('a line for spreadsheets has a cell for each column and contains no formula', () => {
    const hostile = row(1, { who: { door: 'http', caller: '=HYPERLINK("http://x","y")' } })
    const cells = formatCsvLine(hostile)
    expect(cells).toContain(`"'=HYPERLINK(""http://x"",""y"")"`)
    fc.assert(
      fc.property(fc.string(), (caller) => {
        const line = formatCsvLine(row(1, { who: { door: 'http', caller } }))
        expect(parseCsv(line)).toHaveLength(CSV_HEADER.split(',').length)
        const safe = /^[=+\-@\t\r]/.test(caller) ? `'${caller}` : caller
        expect(parseCsv(line)[6]).toBe(safe)
      }),
    )
  })

  it('records of calls and of the log are described', () => {
    expect(describeOutcome(row(1, { event: 'denied', decision: { code: 'x' } }))).toBe('x')
    expect(describeTarget(row(1, { event: 'repaired', run_id: undefined }))).toContain('execute')
    const repaired = { event: 'repaired', problem: 'It was cut', seq: 1 } as never
    expect([describeOutcome(repaired), describeTarget(repaired)]).toEqual([
      'repaired',
      'It was cut',
    ])
  })
})

/** Cells of one line that may have line breaks in quotes. */
function parseCsv(line: string): string[] {
  const cells = [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,"]*))/g)]
  return cells.map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain)
}

describe('a request for the policy', () => {
  it('is read from an address, and names a field that cannot be read', () => {
    const search = new URLSearchParams(
      'kind=execute&skills=a@1 b&network=x.org, y.org&timeout=1.5&cwd=',
    )
    expect(toPolicyRequest(readPolicyForm(search))).toEqual({
      params: {
        kind: 'execute',
        skills: ['a@1', 'b'],
        network: ['x.org', 'y.org'],
        timeout_ms: 1500,
      },
    })
    for (const timeout of ['x', '0', '-1', '1e999']) {
      expect(toPolicyRequest({ timeout }), timeout).toMatchObject({ field: 'timeout' })
    }
  })

  it('of a record is found again behind its link', () => {
    const record = createEntry({
      who: { door: 'http', caller: 'ada & co' },
      request: {
        skills: ['demo.greet@1.0.0'],
        language: 'python',
        timeout_ms: 2500,
        network: ['https://x.example'],
        environment: [],
      },
    })
    const search = new URLSearchParams(formatPolicyPath(record).split('?')[1])
    expect(toPolicyRequest(readPolicyForm(search))).toEqual({
      params: {
        kind: record.kind,
        door: 'http',
        caller: 'ada & co',
        skills: ['demo.greet@1.0.0'],
        language: 'python',
        timeout_ms: 2500,
        network: ['https://x.example'],
      },
    })
  })

  it('becomes a command line whose quotes hold', () => {
    const line = formatPolicyCommand({ caller: "o'hara", timeout_ms: 5 }, 'http://h')
    expect(line).toBe(`skills policy check '{"caller":"o'\\''hara","timeout":5}' --url http://h`)
  })
})

describe('metrics of the server', () => {
  it('are read as they are written, with any text in labels', async () => {
    const metrics = makeMetrics({
      counters: { calls: 'Calls' },
      histograms: { seconds: 'Seconds' },
      gauges: { slots: { help: 'Slots', read: () => 4 } },
    })
    const name = 'a"b\\c\nd}, e="x'
    metrics.count('calls', { method: name, code: '0' }, 2)
    metrics.count('calls', { method: name, code: '1' })
    metrics.count('calls', { method: 'idle' }, 0)
    metrics.observe('seconds', { method: name }, 0.5)
    metrics.observe('seconds', { method: name }, 1.5)
    const samples = parseMetrics(await metrics.render())
    expect(readMetric(samples, 'slots')).toBe(4)
    expect(readMetric(samples, 'none')).toBeUndefined()
    expect(sumByLabel(samples, 'calls', 'method')).toEqual([{ label: name, value: 3 }])
    expect(averageByLabel(samples, 'seconds', 'method')).toEqual([{ label: name, value: 1 }])
  })
})

describe('quantities and times', () => {
  it('have at most two units', () => {
    expect([0, 1023, 1024, 1536, 1024 ** 3 * 2.5].map(formatBytes)).toEqual([
      '0 B',
      '1023 B',
      '1 KiB',
      '1.5 KiB',
      '2.5 GiB',
    ])
    expect([0.4, 43, 999.6, 1234, 60_000, 185_000, 3_600_000 * 52].map(formatDuration)).toEqual([
      '0 ms',
      '43 ms',
      '1 s',
      '1.2 s',
      '1 min',
      '3 min 5 s',
      '2 d 4 h',
    ])
  })

  it('are filters as on the command line', () => {
    const now = Date.UTC(2026, 10, 27)
    expect(parseTimeFilter('2h', now)).toBe('2026-11-26T22:00:00.000Z')
    expect(parseTimeFilter('1.5 d', now)).toBe('2026-11-25T12:00:00.000Z')
    expect(parseTimeFilter('2026-11-20T01:00:00Z', now)).toBe('2026-11-20T01:00:00.000Z')
    expect(parseTimeFilter(' ', now)).toBeUndefined()
    for (const wrong of ['soon', '2 parsecs', '25-1-1', '2026-99-99', '9999999999999d']) {
      expect(parseTimeFilter(wrong, now), wrong).toBeNull()
    }
  })
})
