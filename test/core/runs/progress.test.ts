import { describe, expect, it } from 'vitest'
import { createRedactor } from '../../../src/core/runs/redaction/redact.ts'
import type { ProgressReport, RunEvent } from '../../../src/core/runs/run-call.ts'
import { RunProgress } from '../../../src/core/runs/supervise/progress.ts'
import type { SkillLanguageName } from '../../../src/core/skills/manifest/skill-languages.ts'
import type { ActionRun } from './run-action.ts'
import { runAction } from './run-warm.ts'

async function runWithProgress(language: SkillLanguageName, code: string, options: ActionRun = {}) {
  const reports: ProgressReport[] = []
  const onEvent = (event: RunEvent) => {
    if (event.type !== 'progress') return
    const { type: _, ...report } = event
    reports.push(report)
  }
  const result = await runAction(language, code, {
    ...options,
    call: { cwd: '/', env: { PATH: process.env['PATH'] }, onEvent, ...options.call },
  })
  return { result, reports }
}

/** TypeScript has the module of JavaScript. */
const THREE_STEPS: Readonly<Record<Exclude<SkillLanguageName, 'typescript'>, string>> = {
  python: `import runtime
def main(args):
    for n in range(3):
        runtime.progress(n + 1, 3, "step %d" % n)
    return "done"`,
  node: `import { progress } from 'runtime'
export function main() {
  for (let n = 0; n < 3; n++) progress(n + 1, 3, 'step ' + n)
  return 'done'
}`,
  shell: `main() {
  for n in 0 1 2; do progress $((n + 1)) 3 "step $n"; done
  echo '"done"'
}`,
}

describe('progress of a run', () => {
  it.each(Object.entries(THREE_STEPS))(
    'begins with the first and ends with the last values of %s code',
    async (language, code) => {
      const { result, reports } = await runWithProgress(language as SkillLanguageName, code)
      expect([result.output, result.error]).toEqual(['done', undefined])
      expect(reports[0]).toEqual({ done: 1, total: 3, message: 'step 0' })
      expect(reports.at(-1)).toEqual({ done: 3, total: 3, message: 'step 2' })
    },
  )

  it('is reported before the end of the run', async () => {
    const stop = new AbortController()
    const code =
      'import runtime, time\ndef main(args):\n    runtime.progress(1, 2)\n    time.sleep(600)'
    const onEvent = ({ type }: RunEvent) => type === 'progress' && stop.abort()
    const running = runAction('python', code, { call: { signal: stop.signal, onEvent } })
    await expect(running).rejects.toMatchObject({ code: 'run/cancelled' })
  })

  it('refuses invalid values in Python', async () => {
    const refused = [
      ['progress("1", 2)', 'TypeError', 'expected done to be a number, got str'],
      ['progress(True, 2)', 'TypeError', 'expected done to be a number, got bool'],
      ['progress(1, None)', 'TypeError', 'expected total to be a number, got NoneType'],
      [
        'progress(float("nan"), 2)',
        'ValueError',
        'expected done to be at least 0 and at most the total, 2, got nan',
      ],
      ['progress(0, 10 ** 400)', 'ValueError', 'expected total to be at least 0, got 1000'],
      ['progress(3, 2)', 'ValueError', 'at most the total, 2, got 3'],
      ['progress(-1, 2)', 'ValueError', 'at most the total, 2, got -1'],
      ['progress(1, 2, 3)', 'TypeError', 'expected message to be text, got int'],
    ] as const
    const code = `from runtime import progress
def attempt(call):
    try: call()
    except Exception as error: return [type(error).__name__, str(error)]
def main(args):
    return [attempt(each) for each in (${refused.map(([call]) => `lambda: ${call}`).join(', ')})]`
    const { result, reports } = await runWithProgress('python', code)
    expect(result.output).toEqual(
      refused.map(([, type, message]) => [type, expect.stringContaining(message)]),
    )
    expect(reports).toEqual([])
  })

  it('refuses invalid values in Node and in shell', async () => {
    const code = `import { progress } from 'runtime'
const attempt = (...values) => { try { progress(...values); return null } catch (error) { return error.name + ': ' + error.message } }
export const main = () => [attempt('1', 2), attempt(NaN, 2), attempt(3, 2), attempt(1, Infinity), attempt(1, 2, {}), attempt(0, 0)]`
    const { result, reports } = await runWithProgress('node', code)
    expect(result.output).toEqual([
      'TypeError: progress: expected done to be a number, got string',
      'RangeError: progress: expected done to be at least 0 and at most the total, 2, got NaN',
      'RangeError: progress: expected done to be at least 0 and at most the total, 2, got 3',
      'RangeError: progress: expected total to be at least 0, got Infinity',
      'TypeError: progress: expected message to be text, got object',
      null,
    ])
    expect(reports).toEqual([{ done: 0, total: 0 }])
    const shell = await runWithProgress('shell', 'main() { progress x 3; }')
    expect(shell.result.error?.type).toBe('CommandFailed')
    expect(shell.result.logs_preview).toContain('progress: expected a number, got "x"')
  })

  it('of many calls is a bounded number of events and no output', async () => {
    const code = `import runtime
def main(args):
    for n in range(50_000):
        runtime.progress(n + 1, 50_000, "x" * 400)
    return "done"`
    const settings = { 'run.limits.output': 10_000 }
    const { result, reports } = await runWithProgress('python', code, { settings })
    expect([result.output, result.error]).toEqual(['done', undefined])
    expect(reports.length).toBeLessThanOrEqual(result.duration_ms / 50 + 2)
    expect(reports.at(-1)).toMatchObject({ done: 50_000 })
  })

  it('counts as output if code writes it faster than the harness does', async () => {
    const write = (count: number) => `import runtime, sys
def main(args):
    runtime.progress(1, 2)
    channel = sys.modules["harness"].DRAFTS.channel
    for n in range(${count}):
        channel.send(b"P", b'{"done":1,"total":2,"message":"' + b"x" * 1000 + b'"}')
    return "done"`
    const settings = { 'run.limits.output': 100_000 }
    const flood = await runWithProgress('python', write(100_000), { settings })
    expect(flood.result.error?.type).toBe('OutputLimit')
    expect(flood.reports.length).toBeLessThanOrEqual(flood.result.duration_ms / 50 + 2)
    const control = await runWithProgress('python', write(10), { settings })
    expect(control.result.output).toBe('done')
  })

  it.each([
    '{"done":2,"total":1}',
    '{"done":"1","total":2}',
    '[]',
    '{"done":1,"total":2,"message":5}',
  ])('ends a run whose code writes the invalid report %s', async (text) => {
    const code = `import sys
def main(args):
    sys.modules["harness"].DRAFTS.channel.send(b"P", ${JSON.stringify(text)}.encode())
    return "done"`
    const { result, reports } = await runWithProgress('python', code)
    expect(result.error?.type).toBe('SandboxError')
    expect(reports).toEqual([])
  })

  it('contains no secret', async () => {
    const code = `import os, runtime
def main(args):
    runtime.progress(1, 1, "key " + os.environ["KEY"])`
    const { reports } = await runWithProgress('python', code, {
      toml: '[permissions]\nsecrets = ["KEY"]\n',
      call: { grants: { secrets: new Map([['KEY', 'correct horse']]) } },
    })
    expect(reports).toHaveLength(1)
    expect(JSON.stringify(reports)).not.toContain('correct horse')
  })
})

describe('RunProgress', () => {
  const FRAME = { opcode: 'P', content: Buffer.from('{"done":1,"total":2}') }

  function receiveMany(count: number, intervalMs: number) {
    let [now, consumed, reported] = [0, 0, 0]
    const progress = new RunProgress({
      redactor: createRedactor([]),
      onProgress: () => (reported += 1),
      now: () => (now += intervalMs),
    })
    const consume = (size: number) => (consumed += size)
    for (let n = 0; n < count; n++) progress.receive(FRAME, { consume })
    progress.finish()
    return { consumed, reported }
  }

  it('reports the first and the last of many frames at once, and counts the others', () => {
    const expected = { reported: 2, consumed: 9999 * FRAME.content.length }
    expect(receiveMany(10_000, 0)).toEqual(expected)
  })

  it('reports every frame that keeps to the rate', () => {
    expect(receiveMany(10_000, 50)).toEqual({ reported: 10_000, consumed: 0 })
  })
})
