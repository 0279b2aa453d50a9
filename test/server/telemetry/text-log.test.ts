import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { textLog } from '../../../src/server/telemetry/request-log.ts'

const PARTS = String.raw`status=ok|caller|=| |"|\|error|warn|x|a=b|12:00:00||ms=1|'`
  .split('|')
  .concat('\n', '\r\n', '\u001b[2J', '\u202e', '\u2028', '\u0085', '\ud800', '\u00a0')

/** Reads a line of the text log back, as an operator's script would. */
function parseTextLine(line: string) {
  const quoted = String.raw`"(?:[^"\\]|\\.)*"`
  const shape = new RegExp(
    String.raw`^\d\d:\d\d:\d\d (?:(debug|warn|error) )?(${quoted}|[^"=\\][^=\\]*?|"[^=\\]*?)((?: [a-z]+=(?:${quoted}|[^\s"=]+))*)\n$`,
  )
  const [, level = 'info', message = '', fields = ''] = shape.exec(line) ?? []
  const names = [...fields.matchAll(new RegExp(String.raw` ([a-z]+)=(${quoted}|[^\s"=]+)`, 'g'))]
  return { level, message, fields: names.map(([, name]) => name) }
}

describe('textLog()', () => {
  const HOSTILE = fc
    .array(fc.constantFrom(...PARTS), { maxLength: 8 })
    .map((parts) => parts.join(''))

  it('has the level, the message and the fields that were written, whatever their text is', () => {
    fc.assert(
      fc.property(
        HOSTILE,
        HOSTILE,
        fc.constantFrom('info', 'warn', 'error', 'debug'),
        (message, value, level) => {
          const lines: string[] = []
          textLog((line) => lines.push(line)).write(level, message, { a: value, b: value })
          expect(lines).toHaveLength(1)
          const line = lines[0] ?? ''
          // eslint-disable-next-line no-control-regex -- control characters are what is looked for
          expect(line.trimEnd()).not.toMatch(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e]/)
          const read = parseTextLine(line)
          expect([line, read.level, read.fields]).toEqual([line, level, ['a', 'b']])
        },
      ),
      { numRuns: 3000 },
    )
  })

  it('shows in a control that unquoted text forges a level and a field', () => {
    const line = '12:00:00 error list_skills caller=root a=1\n'
    expect(parseTextLine(line)).toEqual({
      level: 'error',
      message: 'list_skills',
      fields: ['caller', 'a'],
    })
    const lines: string[] = []
    textLog((each) => lines.push(each)).write('info', 'error list_skills caller=root', { a: 1 })
    expect(lines[0]).toContain(' "error list_skills caller=root" a=1\n')
  })
})
