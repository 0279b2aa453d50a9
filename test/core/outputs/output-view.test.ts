import { describe, expect, it } from 'vitest'
import { createOutputView } from '../../../src/core/outputs/view/create-output-view.ts'
import type { OutputViewOptions } from '../../../src/core/outputs/view/output-view.ts'

const OPTIONS: OutputViewOptions = {
  mode: 'summary',
  maxLines: 10,
  queryTerms: [],
  contextLines: 3,
}

function createView(
  content: { stdout?: string; stderr?: string },
  options: Partial<OutputViewOptions> = {},
  exitCode = 0,
) {
  const result = createOutputView({ ...OPTIONS, ...options })
  for (const name of ['stderr', 'stdout'] as const) {
    const bytes = Buffer.from(content[name] ?? '')
    for (let at = 0; at < bytes.length; at += 7) result.push(name, bytes.subarray(at, at + 7))
  }
  return result.end({ exitCode })
}

function numberLines(count: number): string {
  return Array.from({ length: count }, (_, at) => `${at}\n`).join('')
}

describe('the output in a run result', () => {
  it('is complete if it is short', () => {
    const result = createView({ stdout: 'one\r\ntwo\n', stderr: 'é\n' })
    expect(result).toEqual({
      stdoutSummary: 'one\r\ntwo\n',
      stderrSummary: 'é\n',
      outputLines: 5,
      outputBytes: 12,
    })
    expect(createView({})).toMatchObject({ stdoutSummary: '', outputLines: 0, outputBytes: 0 })
  })

  it('contains both ends of a long stdout, and the end of stderr', () => {
    const { stdoutSummary, stderrSummary } = createView({
      stdout: numberLines(300),
      stderr: numberLines(300),
    })
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
    const { stdoutSummary } = createView({ stdout: `${'x'.repeat(501)}\n${'y'.repeat(500)}` })
    expect(stdoutSummary).toBe(`${'x'.repeat(500)}… (+1) [truncated]\n${'y'.repeat(500)}`)
    const { stdoutSummary: pairs } = createView({
      stdout: `${'x'.repeat(499)}😀${'é'.repeat(2000)}`,
    })
    expect(pairs).toBe(`${'x'.repeat(499)}… (+2002) [truncated]`)
  })

  it('has only totals in mode minimal', () => {
    const result = createView({ stdout: numberLines(20) }, { mode: 'minimal', queryTerms: ['1'] })
    expect(result).toEqual({
      stdoutSummary: '',
      stderrSummary: '',
      outputLines: 21,
      outputBytes: 50,
    })
  })

  it('contains only the matches in mode intent, those of stdout first', () => {
    const content = { stdout: 'a\nTARGET\nb\n', stderr: 'target\n' }
    const intent = { mode: 'intent', queryTerms: ['target'], contextLines: 0 } as const
    expect(createView(content, intent)).toMatchObject({
      stdoutSummary: '',
      excerpts: [
        { lineStart: 2, lineEnd: 2, content: 'TARGET', source: 'stdout' },
        { lineStart: 1, lineEnd: 1, content: 'target', source: 'stderr' },
      ],
    })
    expect(createView(content, { ...intent, queryTerms: ['absent'] })).not.toHaveProperty(
      'excerpts',
    )
    expect(createView(content, { ...intent, queryTerms: [] })).not.toHaveProperty('excerpts')
  })

  it('contains at most ten excerpts', () => {
    const stdout = 'x\n\n\n'.repeat(30)
    const intent = { mode: 'intent', queryTerms: ['x'], contextLines: 0 } as const
    expect(createView({ stdout, stderr: stdout }, intent).excerpts).toHaveLength(10)
  })

  it('contains a digest in mode digest, also for the middle of a long output', () => {
    const stdout = `${numberLines(50_000)}src/a.ts(1,2): error TS1: no\n${numberLines(50_000)}`
    const { digest, stdoutSummary } = createView({ stdout }, { mode: 'digest' }, 2)
    expect(digest).toMatchObject({ kind: 'tsc', ok: false, failures: [{ file: 'src/a.ts' }] })
    expect(stdoutSummary).toBe('1 error')
  })
})
