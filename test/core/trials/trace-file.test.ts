import { describe, expect, it } from 'vitest'
import {
  formatTrace,
  formatTraceFile,
  readTraceFile,
  type TrialReport,
} from '../../../src/core/trials/index.ts'

const EVENT = {
  atMs: 7,
  kind: 'sent' as const,
  detail: 'POST http://a.example/',
  bytes: 3,
  markers: ['~/.env'],
}
const REPORT: TrialReport = {
  skill: 'demo',
  subjects: [
    { subject: 'scripts/a.sh', variant: 'plain', outcome: 'exit 0', durationMs: 9, trace: [EVENT] },
  ],
  proofs: [
    {
      kind: 'marker-sent',
      subject: 'scripts/a.sh',
      variant: 'plain',
      message: 'It sent the content of ~/.env by HTTP to a.example',
      event: EVENT,
      file: 'scripts/a.sh',
      repeat: 'skills vet . --run --only scripts/a.sh --variant plain',
    },
  ],
  notRun: [{ subject: 'scripts/b.rb', reason: 'ruby is not installed' }],
}

function change(changes: object): string {
  return JSON.stringify({ ...(JSON.parse(formatTraceFile(REPORT)) as object), ...changes })
}

describe('a trace file', () => {
  it('is read as it was written, and printed again', () => {
    expect(readTraceFile(formatTraceFile(REPORT))).toEqual(REPORT)
    const text = formatTrace(readTraceFile(formatTraceFile(REPORT)))
    expect(text).toContain(
      '    7 ms  It sent POST http://a.example/ (3 bytes), with the content of ~/.env',
    )
    expect(text).toContain('Not run: scripts/b.rb, ruby is not installed')
  })

  it.each([
    ['no JSON', 'x'],
    ['a list', '[]'],
    ['null', 'null'],
    ['another format', change({ format: 'x' })],
    ['another version', change({ version: 2 })],
    ['a version as text', change({ version: '1' })],
    ['no list of subjects', change({ subjects: {} })],
    [
      'too many subjects',
      change({ subjects: Array.from({ length: 5001 }, () => REPORT.subjects[0]) }),
    ],
    ['a trial without a trace', change({ subjects: [{ ...REPORT.subjects[0], trace: 1 }] })],
    [
      'a negative time',
      change({ subjects: [{ ...REPORT.subjects[0], trace: [{ ...EVENT, atMs: -1 }] }] }),
    ],
    ['a fraction', change({ subjects: [{ ...REPORT.subjects[0], durationMs: 0.5 }] })],
    [
      'an unknown kind',
      change({ subjects: [{ ...REPORT.subjects[0], trace: [{ ...EVENT, kind: 'toString' }] }] }),
    ],
    ['a long text', change({ skill: 'x'.repeat(4001) })],
    ['a proof without an event', change({ proofs: [{ ...REPORT.proofs[0], event: null }] })],
    ['a number as a command', change({ proofs: [{ ...REPORT.proofs[0], repeat: 7 }] })],
    ['deep nesting', `${'['.repeat(100_000)}${']'.repeat(100_000)}`],
    [
      'a deep field',
      change({ notRun: JSON.parse(`${'['.repeat(1000)}${']'.repeat(1000)}`) as unknown }),
    ],
  ])('is refused with one sentence: %s', (_, text) => {
    expect(() => readTraceFile(text)).toThrow(/^The trace cannot be read: /)
  })

  it('drops fields that no trace has', () => {
    const text = change({ __proto__: { a: 1 }, extra: 'x', constructor: 'y' })
    expect(readTraceFile(text)).toEqual(REPORT)
  })

  it('cannot control a terminal', () => {
    const hostile = '\u001B]0;title\u0007\u001B[2J\u202Eevil\n\r'
    const event = { ...EVENT, detail: hostile, markers: [hostile] }
    const printed = formatTrace({
      skill: hostile,
      subjects: [
        { subject: hostile, variant: hostile, outcome: hostile, durationMs: 1, trace: [event] },
      ],
      proofs: [
        {
          ...REPORT.proofs[0],
          message: hostile,
          repeat: hostile,
          subject: hostile,
          variant: hostile,
          event,
        } as never,
      ],
      notRun: [{ subject: hostile, reason: hostile }],
    })
    // oxlint-disable-next-line no-control-regex -- control characters are what is searched
    expect(printed).not.toMatch(/[\u0000-\u0009\u000B-\u001F\u007F-\u009F\u202E]/)
  })
})
