import { describe, expect, it } from 'vitest'
import { createOutputView } from '../../../src/core/outputs/view/create-output-view.ts'
import type { OutputViewOptions } from '../../../src/core/outputs/view/output-view.ts'

const OPTIONS: OutputViewOptions = {
  mode: 'summary',
  maxLines: 10,
  queryTerms: [],
  contextLines: 3,
}

function view(
  content: { stdout?: string; stderr?: string },
  options: Partial<OutputViewOptions> = {},
  exitCode = 0,
) {
  const shown = createOutputView({ ...OPTIONS, ...options })
  for (const name of ['stderr', 'stdout'] as const) {
    const bytes = Buffer.from(content[name] ?? '')
    for (let at = 0; at < bytes.length; at += 7) shown.push(name, bytes.subarray(at, at + 7))
  }
  return shown.end({ exitCode })
}

function lines(count: number): string {
  return Array.from({ length: count }, (_, at) => `${at}\n`).join('')
}

describe('the output in a run result', () => {
  it('is complete if it is short', () => {
    const shown = view({ stdout: 'one\r\ntwo\n', stderr: 'é\n' })
    expect(shown).toEqual({
      stdoutSummary: 'one\r\ntwo\n',
      stderrSummary: 'é\n',
      outputLines: 5,
      outputBytes: 12,
    })
    expect(view({})).toMatchObject({ stdoutSummary: '', outputLines: 0, outputBytes: 0 })
  })

  it('contains both ends of a long stdout, and the end of stderr', () => {
    const { stdoutSummary, stderrSummary } = view({ stdout: lines(300), stderr: lines(300) })
    expect(stdoutSummary.split('\n')).toEqual([
      '0',
      '1',
      '2',
      '3',
      '4',
      '... (291 lines omitted) ...',
      '296',
      '297',
      '298',
      '299',
      '',
    ])
    expect(stderrSummary.split('\n')).toEqual(['299', ''])
  })

  it('truncates every line after 500 characters, and counts the missing ones', () => {
    const { stdoutSummary } = view({ stdout: `${'x'.repeat(501)}\n${'y'.repeat(500)}` })
    expect(stdoutSummary).toBe(`${'x'.repeat(500)}… (+1) [truncated]\n${'y'.repeat(500)}`)
    const { stdoutSummary: pairs } = view({ stdout: `${'x'.repeat(499)}😀${'é'.repeat(2000)}` })
    expect(pairs).toBe(`${'x'.repeat(499)}… (+2002) [truncated]`)
  })

  it('has only totals in mode minimal', () => {
    const shown = view({ stdout: lines(20) }, { mode: 'minimal', queryTerms: ['1'] })
    expect(shown).toEqual({
      stdoutSummary: '',
      stderrSummary: '',
      outputLines: 21,
      outputBytes: 50,
    })
  })

  it('contains only the matches in mode intent, those of stdout first', () => {
    const content = { stdout: 'a\nTARGET\nb\n', stderr: 'target\n' }
    const intent = { mode: 'intent', queryTerms: ['target'], contextLines: 0 } as const
    expect(view(content, intent)).toMatchObject({
      stdoutSummary: '',
      excerpts: [
        { lineStart: 2, lineEnd: 2, content: 'TARGET', source: 'stdout' },
        { lineStart: 1, lineEnd: 1, content: 'target', source: 'stderr' },
      ],
    })
    expect(view(content, { ...intent, queryTerms: ['absent'] })).not.toHaveProperty('excerpts')
    expect(view(content, { ...intent, queryTerms: [] })).not.toHaveProperty('excerpts')
  })

  it('contains at most ten excerpts', () => {
    const stdout = 'x\n\n\n'.repeat(30)
    const intent = { mode: 'intent', queryTerms: ['x'], contextLines: 0 } as const
    expect(view({ stdout, stderr: stdout }, intent).excerpts).toHaveLength(10)
  })

  it('contains a digest in mode digest, also for the middle of a long output', () => {
    const stdout = `${lines(50_000)}src/a.ts(1,2): error TS1: no\n${lines(50_000)}`
    const { digest, stdoutSummary } = view({ stdout }, { mode: 'digest' }, 2)
    expect(digest).toMatchObject({ kind: 'tsc', ok: false, failures: [{ file: 'src/a.ts' }] })
    expect(stdoutSummary).toBe('1 error')
  })
})
