// @module-tag slow
import { realpathSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { ExecuteParams } from '../../../src/core/methods/runtime-execute/definition.ts'
import { findQuotingWarnings } from '../../../src/core/programs/quoting-warnings.ts'
import { createExecutor } from '../../helpers/execute.ts'
import { createFolder } from '../../helpers/skills.ts'

describe('quoting warnings', () => {
  it.each<[string, ExecuteParams, RegExp]>([
    [
      'a multi-line program as an argument',
      { runtime: 'node', args: ['-e', 'const a = 1\nconsole.log(a)'] },
      /pass it as "code"/,
    ],
    [
      'the same after an equals sign',
      { runtime: 'node', args: ['--eval=const a = 1\nconsole.log(a)'] },
      /pass it as "code"/,
    ],
    [
      'base64 in an argument',
      { runtime: 'node', args: ['-e', 'eval(Buffer.from("YT0x", "base64").toString())'] },
      /Base64 .* "stdin"/,
    ],
    [
      'base64 in an argument of Python',
      { runtime: 'python', args: ['-c', 'import base64; exec(base64.b64decode("YT0x"))'] },
      /Base64 .* "stdin"/,
    ],
    [
      'base64 in a shell',
      { runtime: 'shell', code: 'echo YT0x | base64 -d > a.py' },
      /Base64 .* "stdin"/,
    ],
    ['an open quote', { runtime: 'shell', code: 'echo one\necho "two' }, /the " of line 2/],
    ['an apostrophe', { runtime: 'shell', code: "echo it's" }, /the ' of line 1/],
    [
      'a here-string in one line',
      { runtime: 'powershell', code: '$a = @"text\n"@' },
      /here-string/,
    ],
  ])('report %s', (_, params, expected) => {
    expect(findQuotingWarnings(params)).toEqual([expect.stringMatching(expected)])
  })

  it.each<[string, ExecuteParams]>([
    ['an apostrophe in quotes', { runtime: 'shell', code: 'echo "it\'s"' }],
    ['quotes that are escaped', { runtime: 'shell', code: 'echo \\" a\\\'b' }],
    ['an apostrophe in a comment', { runtime: 'shell', code: "echo a # it's\necho b" }],
    ['an apostrophe in a here-document', { runtime: 'shell', code: "cat <<END\nit's\nEND\n" }],
    ['an apostrophe in another language', { runtime: 'python', code: "print(1)  # it's" }],
    ['code that uses base64', { runtime: 'python', code: 'import base64\nb64decode("YT0x")' }],
    ['a one-line program as an argument', { runtime: 'node', args: ['-e', 'console.log(1)'] }],
    [
      'lines of a code’s own argument',
      { runtime: 'shell', code: 'echo "$2"', args: ['-e', 'a\nb'] },
    ],
    ['a here-string', { runtime: 'powershell', code: '$a = @"\nit\'s\n"@\n' }],
  ])('ignore %s', (_, params) => {
    expect(findQuotingWarnings(params)).toEqual([])
  })
})

describe('hints of a failed run', { timeout: 60_000 }, () => {
  it('name the restriction of its sandbox', async () => {
    const repo = realpathSync(createFolder({ 'a.txt': 'x' }))
    const { run } = await createExecutor(`[repositories]\nown = ${JSON.stringify(repo)}\n`)
    const write = await run({ runtime: 'shell', code: 'echo y > b.txt', repoId: 'own' })
    expect(write).toMatchObject({ status: 'failure' })
    expect(write.runtimeHints).toEqual([
      'The repository "own" is mounted read-only: write to /workspace or /tmp',
    ])
    const fetch = 'import urllib.request\nurllib.request.urlopen("http://example.com/")'
    const ask = await run({ runtime: 'python', code: fetch })
    expect(ask.runtimeHints).toEqual([expect.stringMatching(/^Programs have no network/)])
    const load = await run({ runtime: 'node', code: 'import "left-pad"', outputMode: 'minimal' })
    expect(load.runtimeHints).toEqual([
      expect.stringMatching(/^Packages of a project/),
      expect.stringMatching(/--host-packages/),
    ])
  })

  it.each<[ExecuteParams['runtime'], string]>([
    ['node', "require('./nope')"],
    ['typescript', "import './nope'"],
  ])(
    'do not mention packages for a relative import of %s',
    { tags: ['slow'] },
    async (runtime, code) => {
      const { run } = await createExecutor()
      expect((await run({ runtime, code })).runtimeHints).toEqual([
        'Files of a project are found only in its repository: set repoId',
      ])
    },
  )

  it.each([
    ['for i in $(seq 30); do sleep 5 & done; wait', 'run.limits.processes', 'processes = 16'],
    [
      'exec 3>/tmp/a; for i in $(seq 20); do cat a b c; ulimit -n 4; exec 9</etc/passwd; done',
      'files: close those that are not used any more',
      'memory = "64MiB"',
    ],
    ['head -c 20M /dev/zero > /workspace/a', 'run.limits.workspace', 'workspace = "8MiB"'],
    ['echo "MemoryError" >&2; exit 1', 'run.limits.memory', 'memory = "64MiB"'],
  ])('name the setting of a limit: %s', { tags: ['slow'] }, async (code, setting, limit) => {
    const { run } = await createExecutor(`[run.limits]\n${limit}\n`)
    const { runtimeHints: hints, error } = await run({ runtime: 'shell', code: `${code}\nexit 1` })
    expect(`${hints?.join()} ${error?.hint}`).toContain(setting)
  })

  it('are absent for a success, whatever it prints', async () => {
    const { run } = await createExecutor()
    const result = await run({ runtime: 'shell', code: 'echo "Read-only file system"' })
    expect(result).not.toHaveProperty('runtimeHints')
    const failed = await run({ runtime: 'shell', code: 'echo no; exit 1' })
    expect(failed).not.toHaveProperty('runtimeHints')
  })

  it('appear together with quoting warnings', async () => {
    const { run } = await createExecutor()
    const { quotingWarnings: warnings } = await run({ runtime: 'shell', code: "echo it's" })
    expect(warnings).toEqual([expect.stringMatching(/^Unbalanced quotes/)])
  })
})

describe('a megabyte of code', () => {
  it.each(['base64 ', 'certutil ', "'", 'atob(', '@"x ', '#\\'])(
    'of %s is scanned in linear time',
    (piece) => {
      const code = piece.repeat(1_000_000 / piece.length)
      for (const runtime of ['shell', 'powershell'] as const) {
        expect(
          findQuotingWarnings({ runtime, code, args: [code.slice(0, 130_000)] }).length,
        ).toBeLessThan(4)
      }
    },
    20_000,
  )
})
