import { describe, expect, it } from 'vitest'
import { describeDifference } from '../../src/testing/report/describe-difference.ts'
import { TEST_REPORTERS } from '../../src/testing/report/index.ts'
import type { CaseAttempt, CaseReport } from '../../src/testing/report/test-report.ts'

const position = { line: 3, column: 5 }
const difference = { kind: 'text', expected: 'a\n', actual: 'b\n' } as const
const FAILED: CaseAttempt = {
  failures: [{ expectation: 'logs', position, message: 'Expected <x> & "y"', difference }],
  durationMs: 1500,
  output: '\u001B[31mred\u001B[0m ]]>\u0000',
  kept: undefined,
}
const PASSED: CaseAttempt = { failures: [], durationMs: 500, output: '', kept: undefined }

const flaky: CaseReport = {
  skill: 'demo.echo',
  suite: 'echo',
  path: 'tests/a,b:c.test.toml',
  position,
  name: 'a <b> #1 `c`\nnext',
  tags: [],
  status: 'flaky',
  attempts: [FAILED, PASSED],
}

function render(name: string, cases: readonly CaseReport[]): string {
  const reporter = TEST_REPORTERS.find((each) => each.name === name)
  const options = { columns: 80, paint: (_: string, text: string) => text }
  const lines = cases.map((each) => reporter?.describeCase?.(each, options) ?? '')
  return (
    lines.join('') + reporter?.describeEnd({ cases, durationMs: 2000, isPartial: false }, options)
  )
}

describe('a case that passed when it was tried again', () => {
  it('is a flakyFailure in JUnit, with escaped text', () => {
    const xml = render('junit', [flaky])
    expect(xml).toContain('tests="1" failures="0"')
    expect(xml).toContain(
      '<flakyFailure type="logs" message="Expected &lt;x&gt; &amp; &quot;y&quot;">',
    )
    expect(xml).not.toMatch(/[\u0000\u001B]/)
  })

  it('is a class of its own in the other formats', () => {
    expect(render('pretty', [flaky])).toContain('1 flaky (1 case, 2.0 s)')
    expect(render('tap', [flaky])).toContain('\nok 1 - demo.echo › echo › a <b> \\#1')
    expect(render('tap', [flaky])).toContain('# flaky\n')
    expect(render('github', [flaky])).toMatch(/^::warning file=tests\/a%2Cb%3Ac\.test\.toml,line=3/)
    expect(render('markdown', [flaky])).toContain('### flaky: demo.echo › echo › a \\<b\\> \\#1')
    expect(render('html', [flaky])).toContain('0 failed, 1 flaky, 0 passed')
    expect(render('html', [flaky])).not.toContain('<b>')
  })
})

describe('a difference', () => {
  const describeText = (expected: string, actual: string) =>
    describeDifference({ kind: 'text', expected, actual }, { paint: (_, text) => text }).slice(1)

  it('points to the words of a line that differ', () => {
    expect(describeText('the old value of it\n', 'the new text of it\n')).toEqual([
      '-the old value of it',
      '+the new text of it',
      '?    ^^^^^^^^',
    ])
    expect(describeText('a\n', 'b\n')).toEqual(['-a', '+b'])
    expect(describeText('a b\nc d\n', 'a x\nc y\n')).toHaveLength(4)
    expect(describeText('a b\n', 'a b c\n').at(-1)).toBe('?   ^^')
  })

  it('of JSON ignores the order of keys', () => {
    const changed = { kind: 'json', expected: { a: 1, b: 2 }, actual: { b: 2, a: 3 } } as const
    const lines = describeDifference(changed, { paint: (_, text) => text })
    expect(lines.filter((line) => /^[-+]/.test(line))).toEqual(['-  "a": 1,', '+  "a": 3,'])
  })
})
