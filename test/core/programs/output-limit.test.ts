// @module-tag slow
// @module-tag nightly
import { encode } from 'gpt-tokenizer/encoding/cl100k_base'
import { describe, expect, it } from 'vitest'
import { createExecutor } from '../../helpers/execute.ts'

const TIMEOUT_MS = 120_000

describe('a shell', { timeout: TIMEOUT_MS }, () => {
  it('has the processes and memory that a test runner needs', async () => {
    const { run } = await createExecutor()
    const worker =
      'const a = Buffer.alloc(60_000_000, 1); setTimeout(() => process.exit(a[0] - 1), 1000)'
    const code = `for i in $(seq 12); do ${process.execPath.startsWith('/usr') ? 'node' : process.execPath} -e '${worker}' & all="$all $!"; done
for each in $all; do wait $each || exit 1; done; echo passed`
    expect(await run({ runtime: 'shell', code })).toMatchObject({ stdoutSummary: 'passed\n' })
    // Control: the memory of other languages is not enough.
    const small = await createExecutor('[run.limits]\nmemory = "511MiB"\n')
    expect(await small.run({ runtime: 'shell', code })).toMatchObject({ status: 'failure' })
  })
})

describe('an output above the limit', { timeout: TIMEOUT_MS }, () => {
  it('has the end of both streams in summaries, queries and digests', async () => {
    const { run, runtime } = await createExecutor('[run.limits]\noutput = "64KiB"\n')
    const code = 'seq 1 100000; echo "the reason" >&2; seq 1 3; exit 1'
    const result = await run({ runtime: 'shell', code })
    expect(result.stderrSummary).toBe('the reason\n')
    expect(result.stdoutSummary).toMatch(/^1\n2\n[^]*\n100000\n1\n2\n3\n$/)
    expect(result.truncation).toMatchObject({ stdoutTruncated: true, stderrTruncated: false })
    const handle = { artifactHandle: result.artifactHandle ?? '' }
    const found = await runtime.queryOutput({
      ...handle,
      queryTerms: ['omitted here', 'reason'],
    })
    expect(found.excerpts.map(({ source }) => source)).toEqual(['stdout', 'stderr'])
    const digest = await run({ runtime: 'shell', code, outputMode: 'digest' })
    expect(digest.digest?.failures).toEqual([{ message: 'the reason' }])
  })
})

describe('tokens and colours in output', { timeout: TIMEOUT_MS }, () => {
  const token = ['gh', 'p_', 'Ab3dEf6hIj'.repeat(4)].join('')
  const code = `import sys, time
sys.stdout.write("\\033[31mtoken gh"); sys.stdout.flush(); time.sleep(0.2)
print("p_${token.slice(4)}\\033[0m"); print("acme_77 plain"); print("E: ${token}", file=sys.stderr); sys.exit(1)`

  it('are absent from summaries, excerpts, digests, queries and kept outputs', async () => {
    const { run, runtime } = await createExecutor('[redaction]\npatterns = ["acme_[0-9]+"]\n')
    const result = await run({ runtime: 'python', code, queryTerms: ['token'] })
    expect(result).toMatchObject({
      stdoutSummary: 'token [redacted]\n[redacted] plain\n',
      stderrSummary: 'E: [redacted]\n',
      redactions: 3,
    })
    expect(result.excerpts?.[0]?.content).toMatch(/^token \[redacted\]\n/)
    const digest = await run({ runtime: 'python', code, outputMode: 'digest' })
    expect(digest.digest?.failures).toEqual([{ message: 'E: [redacted]' }])
    const artifactHandle = result.artifactHandle ?? ''
    const raw = await runtime.queryOutput({ artifactHandle, queryTerms: ['e'], view: 'raw' })
    expect(JSON.stringify(raw)).not.toContain(token.slice(4))
    expect(JSON.stringify(raw)).toContain('[31mtoken [redacted]')
    // Control: text that no pattern matches is kept.
    const shown = await run({ runtime: 'python', code: code.replaceAll('_', '-') })
    expect(shown.stdoutSummary).toContain('token ghp-Ab3')
    expect(shown).not.toHaveProperty('redactions')
  })

  it('are counted in mode minimal within 80 tokens', async () => {
    const { run } = await createExecutor()
    const printed = { runtime: 'shell', code: `echo ${token} ${token}` } as const
    const result = await run({ ...printed, outputMode: 'minimal' })
    expect(result).toMatchObject({ status: 'success', redactions: 2 })
    expect(encode(JSON.stringify(result)).length).toBeLessThanOrEqual(80)
  })

  it('are not masked by an invalid pattern: the run is refused', async () => {
    const { run } = await createExecutor('[redaction]\npatterns = ["(a)\\\\1"]\n')
    await expect(run({ runtime: 'shell', code: 'echo 1' })).rejects.toThrow(
      'The pattern "(a)\\\\1" of redaction.patterns cannot be used: back-references are not supported',
    )
  })
})

describe('the answer in mode minimal', { timeout: TIMEOUT_MS }, () => {
  it.each([
    ['exit 3', { status: 'failure', exitCode: 3 }, 'queryOutput'],
    ['kill -SEGV $$', { status: 'failure', exitCode: null, signal: 'SIGSEGV' }, 'queryOutput'],
    ['sleep 60', { status: 'timeout' }, 'increaseTimeout'],
  ])('of a failure has the common fields, in at most 80 tokens: %s', async (code, end, kind) => {
    const { run, runtime } = await createExecutor()
    const result = await run({
      runtime: 'shell',
      code: `seq 100\n${code}`,
      outputMode: 'minimal',
      timeoutMs: 1500,
    })
    expect(result).toMatchObject({ ...end, nextAction: { kind } })
    expect(result.policyDecision?.auditHash).toMatch(/^[\da-f]{12}$/)
    expect(encode(JSON.stringify(result)).length).toBeLessThanOrEqual(80)
    const artifactHandle = result.artifactHandle ?? ''
    expect((await runtime.queryOutput({ artifactHandle, queryTerms: ['77'] })).matchCount).toBe(1)
  })
})
