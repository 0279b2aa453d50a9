// @module-tag slow
// @module-tag nightly
import { createHash } from 'node:crypto'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { encode } from 'gpt-tokenizer/encoding/cl100k_base'
import { describe, expect, it } from 'vitest'
import type { AuditRecord } from '../../../src/core/audit/audit-record.ts'
import { readNewestFirst } from '../../../src/core/audit/read-audit.ts'
import { isCallRecord, matchesFilter } from '../../../src/core/audit/filter-records.ts'
import { toSkillsError } from '../../../src/errors.ts'
import type { ExecuteParams } from '../../../src/core/methods/runtime-execute/definition.ts'
import { createExecutor } from '../../helpers/execute.ts'
import { createFolder, writeTree, type Tree } from '../../helpers/skills.ts'

const TIMEOUT_MS = 120_000

/** Registers a repository with these files. */
async function createRepositoryExecutor(tree: Tree, mode = 'read-only') {
  const repo = realpathSync(createFolder(tree))
  const settings = `[repositories]\nown = { path = ${JSON.stringify(repo)}, mode = "${mode}" }\n`
  return { repo, ...(await createExecutor(settings)) }
}

async function catchError(work: Promise<unknown>) {
  return toSkillsError(
    await work.then(
      () => 'no error',
      (thrown: unknown) => thrown,
    ),
  )
}

describe('the answer of runtime.execute', { timeout: TIMEOUT_MS }, () => {
  it('contains all that matters in mode minimal, in at most 80 tokens', async () => {
    const { run } = await createExecutor()
    const result = await run({ runtime: 'python', code: 'print(1)', outputMode: 'minimal' })
    expect(result).toEqual({
      status: 'success',
      exitCode: 0,
      signal: null,
      durationMs: expect.any(Number),
      artifactHandle: expect.stringMatching(/^runtime-/),
      outputLines: 2,
      outputBytes: 2,
      policyDecision: { auditHash: expect.stringMatching(/^\d{12}$/) },
    })
    expect(encode(JSON.stringify(result)).length).toBeLessThanOrEqual(80)
  })

  it('contains a hash, or its beginning, that leads to one run', async () => {
    const { run, runtime } = await createExecutor()
    const params = { runtime: 'python', code: 'print(1)' } as const
    const short = await run({ ...params, outputMode: 'minimal' })
    const whole = await run(params)
    const newest = readNewestFirst(await runtime.auditSource())
    const records = ((await Readable.from(newest).toArray()) as AuditRecord[]).filter(isCallRecord)
    for (const { policyDecision } of [short, whole]) {
      const found = records.filter((each) =>
        matchesFilter(each, { hash: policyDecision?.auditHash }),
      )
      expect(found.map(({ event }) => event)).toEqual(['ended', 'begun'])
      expect(new Set(found.map(({ run_id: id }) => id)).size).toBe(1)
    }
    const { auditHash: hash = '' } = short.policyDecision ?? {}
    expect(records.some((each) => matchesFilter(each, { hash: `${hash}x` }))).toBe(false)
  })

  it('has at most 80 tokens in mode minimal with a named repository and much output', async () => {
    const { run } = await createRepositoryExecutor({ 'a.txt': 'x' })
    const code = 'for n in range(20_000): print("line", n)'
    const params = { runtime: 'python', code, outputMode: 'minimal', repoId: 'own' } as const
    const result = await run(params)
    expect(result).toMatchObject({ status: 'success', outputLines: 20_001 })
    expect(encode(JSON.stringify(result)).length).toBeLessThanOrEqual(80)
  })

  it('contains the exit code and the next action', async () => {
    const { run } = await createExecutor()
    const result = await run({
      runtime: 'shell',
      code: 'echo oops >&2; exit 42',
      outputMode: 'minimal',
    })
    expect(result).toMatchObject({
      status: 'failure',
      exitCode: 42,
      signal: null,
      nextAction: { kind: 'queryOutput' },
    })
    expect(result).not.toHaveProperty('stderrSummary')
  })

  it('contains no next action if there is no output', async () => {
    const { run } = await createExecutor()
    expect(await run({ runtime: 'shell', code: 'exit 3' })).not.toHaveProperty('nextAction')
  })

  it('contains the signal that ended the program', async () => {
    const { run } = await createExecutor()
    const result = await run({ runtime: 'shell', code: 'kill -9 $$' })
    expect(result).toMatchObject({ status: 'failure', exitCode: null, signal: 'SIGKILL' })
  })

  it('reports a timeout, whatever the program does with signals', async () => {
    const { run } = await createExecutor()
    const result = await run({
      runtime: 'shell',
      code: 'trap "exit 0" TERM INT; trap "" HUP; sleep 60 & wait',
      timeoutMs: 300,
    })
    expect(result).toMatchObject({
      status: 'timeout',
      exitCode: 0,
      signal: null,
      nextAction: { kind: 'increaseTimeout' },
    })
    expect(result.durationMs).toBeGreaterThanOrEqual(300)
  })

  it('returns when the program has ended, whatever it left behind', async () => {
    const { run } = await createExecutor()
    const started = performance.now()
    const code = 'setsid sleep 60 & sleep 60 >/dev/null 2>&1 & echo hi'
    expect(await run({ runtime: 'shell', code })).toMatchObject({
      status: 'success',
      stdoutSummary: 'hi\n',
    })
    expect(performance.now() - started).toBeLessThan(50_000)
  })

  it('contains the head and tail of a long output', async () => {
    const { run } = await createExecutor()
    const code = 'for n in $(seq 0 299); do echo "line $n"; echo "error $n" >&2; done'
    const result = await run({ runtime: 'shell', code, maxResponseLines: 10 })
    const lines = result.stdoutSummary?.split('\n') ?? []
    expect(lines.slice(0, 5)).toEqual([0, 1, 2, 3, 4].map((n) => `line ${n}`))
    expect(result.stdoutSummary).toContain('... (291 lines omitted) ...')
    expect(lines.slice(-5)).toEqual(['line 296', 'line 297', 'line 298', 'line 299', ''])
    expect(result.stderrSummary).toBe('error 299\n')
  })

  it('contains 500 characters of a longer line', async () => {
    const { run } = await createExecutor()
    const result = await run({ runtime: 'python', code: 'print("x" * 5000)' })
    expect(result.stdoutSummary).toMatch(/^x{500}… .*\[truncated\]/)
    expect(result.stdoutSummary?.length).toBeLessThan(560)
  })

  it('contains the lines with a query term, and none without a match', async () => {
    const { run } = await createExecutor()
    const code = 'echo one; echo the TARGET; echo three'
    const params = { runtime: 'shell', code, outputMode: 'intent', contextLines: 0 } as const
    expect((await run({ ...params, queryTerms: ['target'] })).excerpts).toEqual([
      { lineStart: 2, lineEnd: 2, content: 'the TARGET', source: 'stdout' },
    ])
    expect(await run({ ...params, queryTerms: ['t.rget'] })).not.toHaveProperty('excerpts')
    expect(await run(params)).not.toHaveProperty('excerpts')
  })

  it('contains a digest of the failure', async () => {
    const { run } = await createExecutor()
    const code = 'echo one; echo "Error: it broke" >&2; exit 1'
    const result = await run({ runtime: 'shell', code, outputMode: 'digest', persistOutput: false })
    expect(result).toMatchObject({
      artifactHandle: null,
      digest: { kind: 'generic', ok: false },
      notKept: '20 bytes of output are not stored: persistOutput is false',
    })
  })

  it('contains size and digest of the input, and never its text', async () => {
    const { run } = await createExecutor()
    const stdin = 'é secret text\n'
    const code = 'import sys; sys.stdout.write(sys.stdin.read().upper()[:1])'
    const result = await run({ runtime: 'python', code, stdin })
    expect(result).toMatchObject({
      stdoutSummary: 'É',
      stdinBytes: Buffer.byteLength(stdin),
      stdinSha256: createHash('sha256').update(stdin).digest('hex'),
    })
    expect(JSON.stringify(result)).not.toContain('secret')
  })

  it('is a success if the program does not read its input', async () => {
    const { run } = await createExecutor()
    const result = await run({ runtime: 'shell', code: 'exit 0', stdin: 'x'.repeat(524_288) })
    expect(result).toMatchObject({ status: 'success', stdinBytes: 524_288 })
  })

  it('reports truncated output over the limit, and the program continues', async () => {
    const { run } = await createExecutor('[run.limits]\noutput = "4KiB"\n')
    const code = 'import sys\nprint("x" * 100_000)\nprint("done", file=sys.stderr)'
    const result = await run({ runtime: 'python', code, outputMode: 'minimal' })
    expect(result).toMatchObject({
      status: 'success',
      exitCode: 0,
      truncation: { stdoutTruncated: true, totalStdoutBytes: 100_001, totalStderrBytes: 5 },
    })
  })

  it('contains phases, program and isolation with full detail', async () => {
    const { run } = await createExecutor()
    const result = await run({ runtime: 'shell', code: ':', outputMode: 'minimal', detail: 'full' })
    expect(result).toMatchObject({
      runId: expect.stringMatching(/^run_/),
      program: { name: 'bash' },
      isolation: { backend: 'namespaces' },
      policyDecision: { auditHash: expect.any(String) },
      diagnostics: { timings: { phases: { execute: expect.any(Number) } } },
    })
    const short = await run({ runtime: 'shell', code: ':', detail: 'compact' })
    expect(Object.values(short)).not.toContain(null)
    expect(short).not.toHaveProperty('stderrSummary')
  })

  it('reports a cancellation, and nothing starts after an earlier one', async () => {
    const { run, home } = await createExecutor()
    const signal = AbortSignal.abort()
    const result = await run({ runtime: 'shell', code: 'echo x' }, { signal })
    expect(result).toMatchObject({ status: 'cancelled', exitCode: null, artifactHandle: null })
    expect(readFolder(join(home, '.local/share/skills/outputs'))).toEqual([])
  })
})

function readFolder(path: string): string[] {
  return existsSync(path) ? readdirSync(path) : []
}

describe('runtime.execute compiles', { timeout: TIMEOUT_MS }, () => {
  const code = '#include <stdio.h>\nint main() { puts("made"); }\n'

  it('with its own timeout, once', async () => {
    const { run } = await createExecutor()
    const params = { runtime: 'c', code, timeoutMs: 900 } as const
    const first = await run(params)
    expect(first).toMatchObject({ status: 'success', stdoutSummary: 'made\n' })
    expect(first.compileMs).toBeGreaterThan(0)
    expect((await run(params)).compileMs).toBeUndefined()
    expect((await run({ ...params, code: `${code} ` })).compileMs).toBeGreaterThan(0)
  })

  it('no longer than its timeout', async () => {
    const { run } = await createExecutor('[run]\ntimeout = "50ms"\nmax_timeout = "50ms"\n')
    const result = await run({ runtime: 'cpp', code: '#include <iostream>\nint main() {}\n' })
    expect(result).toMatchObject({ status: 'timeout', phase: 'compile' })
  })

  it('again if the cached program was changed', async () => {
    const { run, home } = await createExecutor()
    const params = { runtime: 'c', code } as const
    await run(params)
    const cache = join(home, '.cache/skills/compiled')
    const [key = ''] = readdirSync(cache)
    const program = join(cache, key, 'files/program')
    const bytes = readFileSync(program)
    writeFileSync(program, '#!/bin/sh\necho poisoned\n', { mode: 0o755 })
    const result = await run(params)
    expect(result).toMatchObject({ stdoutSummary: 'made\n' })
    expect(result.compileMs).toBeGreaterThan(0)
    expect(readFileSync(program).equals(bytes)).toBe(true)
  })

  it('and reports a compiler without output', async () => {
    const { run } = await createExecutor()
    const tools = createFolder({ 'bin/gcc': '#!/bin/sh\necho "gcc 1.2.3"\n' })
    for (const path of ['', 'bin', 'bin/gcc']) chmodSync(join(tools, path), 0o755)
    const env = { PATH: `${tools}/bin:${process.env['PATH']}`, HOME: '/nonexistent' }
    const result = await run({ runtime: 'c', code }, { env })
    expect(result).toMatchObject({
      status: 'failure',
      phase: 'compile',
      error: { type: 'NotCompiled' },
    })
  })

  it('without access to the repository of the run', async () => {
    const { run } = await createRepositoryExecutor({ 'own.h': '#define TEXT "leaked"\n' })
    const include = '#include "/repo/own.h"\n'
    const result = await run({ runtime: 'c', code: include + code, repoId: 'own' })
    expect(result).toMatchObject({ status: 'failure', phase: 'compile' })
  })
})

describe('runtime.execute in a repository', { timeout: TIMEOUT_MS }, () => {
  it('starts at its root, or in one of its folders, whatever the name', async () => {
    const { run } = await createRepositoryExecutor({ 'a.txt': 'top', 'a..b/a.txt': 'below' })
    const params = { runtime: 'shell', code: 'cat a.txt; pwd', repoId: 'own' } as const
    expect((await run(params)).stdoutSummary).toBe('top/repo\n')
    expect((await run({ ...params, relativeCwd: 'a..b' })).stdoutSummary).toBe('below/repo/a..b\n')
  })

  it('resolves imports of Node code from there', async () => {
    const { run } = await createRepositoryExecutor({
      'own.mjs': 'export const word = "found"',
      'old.cjs': 'module.exports = "required"',
      'node_modules/pack/package.json': '{"name":"pack","main":"index.js"}',
      'node_modules/pack/index.js': 'module.exports = "package"',
    })
    const code =
      'import { word } from "./own.mjs"; import pack from "pack"; console.log(word, pack, require("./old.cjs"))'
    const result = await run({ runtime: 'node', code, repoId: 'own' })
    expect(result.stdoutSummary).toBe('found package required\n')
  })

  it('cannot write to a read-only repository', async () => {
    const { run, repo } = await createRepositoryExecutor({ 'a.txt': 'x' })
    const result = await run({ runtime: 'shell', code: 'echo y > a.txt', repoId: 'own' })
    expect(result).toMatchObject({ status: 'failure' })
    expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('x')
  })

  it('does not change an overlay repository', async () => {
    const { run, repo } = await createRepositoryExecutor({ 'a.txt': 'x' }, 'overlay')
    const code = 'echo y > a.txt && echo z > new.txt && cat a.txt new.txt'
    const result = await run({ runtime: 'shell', code, repoId: 'own' })
    expect(result).toMatchObject({ status: 'success', stdoutSummary: 'y\nz\n' })
    expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('x')
    expect(readdirSync(repo)).toEqual(['a.txt'])
  })

  it('writes to a read-write repository', async () => {
    const { run, repo } = await createRepositoryExecutor({ 'a.txt': 'x' }, 'read-write')
    const result = await run({ runtime: 'shell', code: 'echo y > new.txt', repoId: 'own' })
    expect(result).toMatchObject({ status: 'success' })
    expect(readFileSync(join(repo, 'new.txt'), 'utf8')).toBe('y\n')
  })

  it('runs a Go file with the packages of its module', async ({ skip }) => {
    const executor = await createRepositoryExecutor({
      'go.mod': 'module example.org/own\n\ngo 1.19\n',
      'words/words.go': 'package words\n\nfunc Word() string { return "module" }\n',
    })
    const code =
      'package main\n\nimport (\n\t"fmt"\n\t"example.org/own/words"\n)\n\nfunc main() { fmt.Println(words.Word()) }\n'
    const running = executor.run({ runtime: 'go', code, repoId: 'own' })
    const result = await running.catch((error: unknown) => {
      if (toSkillsError(error).code === 'language/not-installed') skip('needs Go: golang-go')
      throw error
    })
    expect(result).toMatchObject({ status: 'success', stdoutSummary: 'module\n' })
  })

  it('never starts the repository’s own node, however it is requested', async () => {
    const repo = realpathSync(createFolder())
    mkdirSync(join(repo, 'bin'))
    const script = '#!/bin/sh\necho HIJACKED\n'
    for (const path of ['node', 'bin/node', 'bin/python3']) {
      writeTree(repo, { [path]: script })
      chmodSync(join(repo, path), 0o755)
    }
    const path = `${repo}/bin:${repo}:${process.env['PATH']}`
    const env = { PATH: path }
    const executor = await createExecutor(`[repositories]\nown = ${JSON.stringify(repo)}\n`, {
      env,
    })
    const run = async (more: Partial<ExecuteParams>) =>
      await executor.run({ runtime: 'node', code: 'console.log("real")', repoId: 'own', ...more })
    expect((await run({})).stdoutSummary).toBe('real\n')
    expect((await run({ runtime: 'python', code: 'print("real")' })).stdoutSummary).toBe('real\n')
    for (const executable of ['./node', 'bin/node', join(repo, 'node')]) {
      expect(await run({ executable })).toMatchObject({
        status: 'denied',
        policyDecision: { deniedCode: 'executable-not-trusted' },
      })
    }
  })

  it.each(['../x', '/tmp', 'C:\\Windows', 'a/../../b', 'a\0b', '..\\x'])(
    'rejects %j as its folder',
    async (relativeCwd) => {
      const { run } = await createRepositoryExecutor({ 'a.txt': 'x' })
      const error = await catchError(
        run({ runtime: 'shell', code: ':', repoId: 'own', relativeCwd }),
      )
      expect(error.code).toBe('params/invalid')
      expect(error.data).toMatchObject({ param: 'relativeCwd' })
    },
  )

  it('rejects a folder that does not exist, or leads outside by a link', async () => {
    const { run, repo } = await createRepositoryExecutor({ 'source/parts/a.txt': 'x' })
    symlinkSync('/tmp', join(repo, 'away'))
    const params = { runtime: 'shell', code: 'pwd', repoId: 'own' } as const
    const missing = await catchError(run({ ...params, relativeCwd: 'missing' }))
    expect([missing.message, missing.hint].join()).toMatch(/"missing".*such as/)
    const misspelt = await catchError(run({ ...params, relativeCwd: './source/prats' }))
    expect(misspelt.hint).toBe('Did you mean "source/parts"?')
    expect(await run({ ...params, relativeCwd: 'away' })).toMatchObject({
      status: 'denied',
      policyDecision: { deniedCode: 'cwd-escape-attempt' },
    })
  })

  it('requires a registered repository before anything else is checked', async () => {
    const { run } = await createExecutor()
    const params = { runtime: 'shell', code: ':', repoId: 'nobody', executable: 'node' } as const
    expect((await catchError(run(params))).code).toBe('repository/unknown')
  })
})

describe('runtime.execute rejects', { timeout: TIMEOUT_MS }, () => {
  it.each<[string, Partial<ExecuteParams>, string]>([
    ['a shell without code', { runtime: 'shell', code: undefined, args: ['-c', 'ls'] }, 'echo ok'],
    ['a shell with empty code', { runtime: 'shell', code: '' }, 'code'],
    ['input over 512 KiB', { stdin: 'é'.repeat(300_000) }, '512 KiB'],
    ['arguments with a NUL', { args: ['a\0b'] }, 'NUL'],
    ['an argument over the limit of the kernel', { args: ['x'.repeat(200_000)] }, 'stdin'],
    ['nothing to run', { code: undefined }, 'nothing to run'],
    ['a folder without a repository', { relativeCwd: 'x' }, 'repoId'],
    ['a timeout under the minimum', { timeoutMs: 99 }, '100'],
    ['a query term that is too long', { queryTerms: ['x'.repeat(4097)] }, '4096'],
    ['too many lines', { maxResponseLines: 1001 }, '1000'],
    ['an unknown language', { runtime: 'pythn' as never }, 'did you mean "python"?'],
  ])('%s', async (_, params, text) => {
    const { run } = await createExecutor()
    const error = await catchError(run({ runtime: 'python', code: 'print(1)', ...params }))
    expect(error.code).toBe('params/invalid')
    expect(error.message).toContain(text)
  })

  it('a program of another language', async () => {
    const { run } = await createExecutor()
    const result = await run({ runtime: 'node', code: '1', executable: 'python3' })
    expect(result).toMatchObject({
      status: 'denied',
      exitCode: null,
      policyDecision: { deniedCode: 'runtime-executable-mismatch' },
    })
    expect(result.policyDecision?.deniedReasons?.[0]).toContain('not compatible with runtime')
  })

  it('every request if programs are disabled', async () => {
    const { run } = await createExecutor('[runtime]\nenabled = false\n')
    const result = await run({ runtime: 'shell', code: 'echo x', outputMode: 'minimal' })
    expect(result).toMatchObject({
      status: 'denied',
      durationMs: 0,
      policyDecision: { deniedCode: 'runtime-disabled' },
    })
  })

  it('a timeout over the maximum', async () => {
    const { run } = await createExecutor('[run]\ntimeout = "5s"\nmax_timeout = "5s"\n')
    const result = await run({ runtime: 'shell', code: ':', timeoutMs: 60_000 })
    expect(result).toMatchObject({
      status: 'denied',
      policyDecision: { deniedCode: 'timeout-exceeded' },
    })
    expect(result.policyDecision?.deniedReasons?.[0]).toContain('exceeds')
  })
})

describe('runtime.execute accepts', { timeout: TIMEOUT_MS }, () => {
  it('command as an alias of executable, which has priority', async () => {
    const { run } = await createExecutor()
    const code = 'echo $0 >&2; echo ok'
    const sh = await run({ runtime: 'shell', code, command: 'sh' })
    expect(sh).toMatchObject({ status: 'success', stdoutSummary: 'ok\n' })
    const params = { runtime: 'shell', code, command: 'node', executable: 'bash' } as const
    expect(await run(params)).toMatchObject({ status: 'success' })
  })

  it('empty code as a program, and an empty argument', async () => {
    const { run } = await createExecutor()
    const result = await run({ runtime: 'python', code: '', args: ['-c', 'print("no")'] })
    expect(result).toMatchObject({ status: 'success', stdoutSummary: '' })
  })

  it('arguments without code for the language’s own program', async () => {
    const { run } = await createExecutor()
    const result = await run({ runtime: 'python', args: ['-c', 'print("yes")'] })
    expect(result).toMatchObject({ status: 'success', stdoutSummary: 'yes\n' })
    expect(await run({ runtime: 'c', args: ['--version'] })).toMatchObject({ status: 'success' })
  })

  it('code and arguments together', async () => {
    const { run } = await createExecutor()
    const code = 'console.log(process.argv.slice(2).join("+"))'
    const result = await run({ runtime: 'node', code, args: ['--flag', '--', '-e'] })
    expect(result.stdoutSummary).toBe('--flag+--+-e\n')
  })

  it('no variables of the caller’s environment', async () => {
    const { run } = await createExecutor('', { env: { CANARY: 'sings' } })
    const result = await run({ runtime: 'shell', code: 'env | sort | cut -d= -f1 | xargs' })
    expect(result.stdoutSummary).toBe('HOME LANG PATH PWD SHLVL TMPDIR _\n')
  })
})
