import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { digestOutput } from '../../../../src/core/outputs/digests/digest-output.ts'

/** Recorded output of a real tool, with its exit code. */
function readRecorded(name: string) {
  const text = readFileSync(new URL(`recorded/${name}.txt`, import.meta.url), 'utf8')
  const [, exit, rest = ''] = /^exit (\d+)\n--- stdout\n([^]*)$/.exec(text) ?? []
  const [stdout = '', stderr = ''] = rest.split(/(?<=^|\n)--- stderr\n/)
  return { exitCode: Number(exit), stdout, stderr }
}

function digestRecorded(name: string) {
  const { exitCode, ...text } = readRecorded(name)
  return digestOutput(text, { exitCode, root: '/repo' })
}

type DigestCase = [name: string, kind: string, summary: string, failures: object[]]

const ROWS: DigestCase[] = [
  [
    'mocha-failed',
    'mocha',
    '2/3 tests failed',
    [
      {
        name: 'sum > subtracts',
        file: 't/sum.spec.cjs',
        line: 4,
        message: 'AssertionError [ERR_ASSERTION]: 2 == 1',
      },
      { name: 'sum > nested > throws', line: 5, message: 'TypeError: no number' },
    ],
  ],
  [
    'rspec-failed',
    'rspec',
    '2/3 examples failed',
    [
      { name: 'sum subtracts', file: 'sum_spec.rb', line: 3, message: 'expected: 1 got: 2' },
      { name: 'sum raises', line: 4, message: 'ArgumentError: no number' },
    ],
  ],
  [
    'rspec-load',
    'rspec',
    '0/0 examples failed',
    [{ file: 'bad_spec.rb', message: 'LoadError: cannot load such file -- no_such_lib' }],
  ],
  [
    'phpunit-failed',
    'phpunit',
    '2/3 tests failed',
    [
      {
        name: 'SumTest::testThrows',
        file: 'SumTest.php',
        line: 6,
        message: 'InvalidArgumentException: no number',
      },
      {
        name: 'SumTest::testSubtracts',
        line: 5,
        message: 'Failed asserting that 2 is identical to 1.',
      },
    ],
  ],
  ['phpunit-good', 'phpunit', '1 test passed', []],
  [
    'tap-yaml',
    'tap',
    '1/2 tests failed',
    [{ name: 'subtracts', file: 'tapj/a.test.cjs', line: 2, message: 'expected 1, got 2' }],
  ],
  [
    'maven-failed',
    'maven',
    '2/3 tests failed',
    [
      { name: 'SumTest.subtracts', line: 12, message: 'expected: <1> but was: <2>' },
      { name: 'SumTest.raises', line: 17, message: 'IllegalState no number' },
    ],
  ],
  [
    'maven-compile',
    'maven',
    '1 error',
    [{ file: 'src/main/java/com/acme/Sum.java', line: 5, message: 'cannot find symbol' }],
  ],
  [
    'gradle-failed',
    'gradle',
    '2/3 tests failed',
    [
      {
        name: 'SumTest > subtracts()',
        message: 'org.opentest4j.AssertionFailedError: expected: <1> but was: <2>',
      },
      {
        name: 'SumTest > raises()',
        file: 'SumTest.java',
        line: 17,
        message: 'java.lang.IllegalStateException',
      },
    ],
  ],
  [
    'gradle-setup',
    'gradle',
    '1 error',
    [{ message: "Task 'tset' not found in root project 'sum'." }],
  ],
  [
    'dotnet-failed',
    'dotnet',
    '1/3 tests failed',
    [
      {
        name: 'Sum.Tests.SumTests.Subtracts',
        file: 'SumTests.cs',
        line: 12,
        message: 'Assert.Equal() Failure: Values differ: expected 1, received 2',
      },
    ],
  ],
  [
    'dotnet-build',
    'dotnet',
    '1 error',
    [
      {
        name: 'CS0103',
        file: 'Sum.cs',
        line: 5,
        message: "The name 'x' does not exist in the current context",
      },
    ],
  ],
  [
    'pytest-no-summary',
    'pytest',
    '1 failed',
    [
      {
        name: 'test_subtracts',
        file: 'test_sum.py',
        line: 2,
        message: 'AssertionError: one is missing: assert (3 - 1) == 1',
      },
    ],
  ],
  [
    'go-subtests',
    'go-test',
    '3 tests failed, 1 of 1 package failed',
    [
      { name: 'TestSum', file: 'm_test.go', line: 5, message: 'want 2' },
      { name: 'TestSum/sub', file: 'm_test.go', line: 4, message: 'got 1' },
      { name: 'TestP', line: 7 },
    ],
  ],
  [
    'npm-ls',
    'npm',
    'missing: chalk@^5.0.0, required by deps@1.0.0',
    [
      { message: 'missing: chalk@^5.0.0, required by deps@1.0.0' },
      { message: 'missing: left-pad@^1.0.0, required by deps@1.0.0' },
    ],
  ],
  [
    'go-inline',
    'compiler',
    '1 error',
    [{ file: 'bad.go', line: 2, message: 'x declared but not used' }],
  ],
  [
    'node-syntax',
    'compiler',
    '1 error',
    [{ file: 'bad.mjs', line: 1, message: "SyntaxError: Unexpected token ';'" }],
  ],
  [
    'python-syntax',
    'compiler',
    '1 error',
    [{ file: 'bad.py', line: 1, message: 'SyntaxError: invalid syntax' }],
  ],
  [
    'python-trace',
    'compiler',
    '1 error',
    [{ file: 'py.py', line: 2, message: 'ZeroDivisionError: division by zero' }],
  ],
  ['ruby-syntax', 'compiler', '1 error', [{ file: 'bad.rb', line: 2 }]],
  ['php-syntax', 'compiler', '1 error', [{ file: 'bad.php', line: 3 }]],
  [
    'tsc-errors',
    'tsc',
    '3 errors in 2 files',
    [
      { name: 'TS2322', file: 'src/a.ts', line: 4 },
      { name: 'TS2304', file: 'src/a.ts', line: 5, message: "Cannot find name 'subtract'." },
      { name: 'TS2345', file: 'src/b.ts', line: 2 },
    ],
  ],
  ['tsc-pretty', 'tsc', '3 errors in 2 files', [{ line: 4 }, { line: 5 }, { line: 2 }]],
  [
    'node-spec',
    'node-test',
    '2/7 tests failed',
    [
      { name: 'goes below zero', file: 't/math.test.mjs', line: 6 },
      { name: 'throws', line: 8, message: 'TypeError [Error]: boom went the test' },
    ],
  ],
  [
    'node-tap',
    'node-test',
    '2/7 tests failed',
    [
      { name: 'goes below zero', file: 't/math.test.mjs', line: 6 },
      { name: 'throws', line: 8, message: 'boom went the test' },
    ],
  ],
  ['node-good', 'node-test', '2 tests passed', []],
  ['node-good-tap', 'node-test', '2 tests passed', []],
  [
    'vitest-failed',
    'vitest',
    '2/5 tests failed',
    [
      { file: 'v/load.test.js', line: 1 },
      { name: 'sum > fails here', file: 'v/sum.test.js', line: 4 },
      { name: 'sum > throws', line: 5, message: 'Error: broken thing' },
    ],
  ],
  ['vitest-good', 'vitest', '1 test passed', []],
  [
    'jest-failed',
    'vitest',
    '2/4 tests failed',
    [
      {
        name: 'sum > fails here',
        file: 'j/sum.test.cjs',
        line: 3,
        message: 'expect(received).toBe(expected): expected 3, received 2',
      },
      { name: 'sum > throws', line: 4, message: 'broken thing' },
    ],
  ],
  ['jest-good', 'vitest', '1 test passed', []],
  [
    'pytest-failed',
    'pytest',
    '3 failed, 2 passed, 1 error',
    [
      {
        name: 'test_wrong',
        file: 'test_math.py',
        line: 8,
        message: 'AssertionError: off by one: assert 2 == 3',
      },
      { name: 'TestThings::test_raises', line: 12 },
      { name: 'test_even[1]', line: 16 },
      { name: 'test_error', line: 20, message: 'RuntimeError: no fixture' },
    ],
  ],
  ['pytest-quiet', 'pytest', '3 failed, 2 passed, 1 error', [{ line: 8 }, {}, {}, {}]],
  [
    'pytest-collect',
    'pytest',
    '1 error',
    [{ file: 'test_import.py', message: "ModuleNotFoundError: No module named 'not_there'" }],
  ],
  ['pytest-good', 'pytest', '1 passed', []],
  [
    'go-failed',
    'go-test',
    '3 tests failed, 2 build errors, 3 of 4 packages failed',
    [
      { file: 'broken/b.go', line: 3 },
      { file: 'broken/b.go', line: 5, message: 'undefined: undefinedName' },
      { name: 'TestWrong', file: 'sum_test.go', line: 12 },
      { name: 'TestTable/two', line: 19, message: 'bad two' },
      { name: 'TestPanics', file: 'panics/p_test.go', line: 7 },
    ],
  ],
  [
    'go-verbose',
    'go-test',
    '2 tests failed, 1 of 1 package failed',
    [
      { name: 'TestWrong', line: 12, message: 'Sum(1, 1) = 2, want 3' },
      { name: 'TestTable/two', line: 19 },
    ],
  ],
  ['go-good', 'go-test', 'ok, 1 package', []],
  [
    'cargo-test-failed',
    'cargo',
    '2/3 tests failed',
    [
      { name: 'tests::panics', file: 'src/lib.rs', line: 11, message: 'broken thing' },
      { name: 'tests::wrong', line: 9 },
    ],
  ],
  ['cargo-test-good', 'cargo', '3 tests passed', []],
  [
    'cargo-build',
    'cargo',
    '2 errors',
    [
      { name: 'E0277', file: 'src/lib.rs', line: 1, message: 'cannot add `&str` to `i32`' },
      { name: 'E0308', line: 2 },
    ],
  ],
  [
    'eslint-mixed',
    'eslint',
    '3 errors, 2 warnings',
    [{ name: 'no-unused-vars', file: 'lint/one.js', line: 1 }, { name: 'no-undef' }, { line: 2 }],
  ],
  ['eslint-warnings', 'eslint', '0 errors, 1 warning', [{ name: 'prefer-const' }]],
  ['npm-missing', 'npm', 'Missing script: "nothing"', [{ message: 'Missing script: "nothing"' }]],
  ['gcc-errors', 'gcc', '2 errors, 1 warning', [{ file: 'bad.c', line: 4 }, { line: 5 }]],
  ['gcc-link', 'gcc', '1 error', [{ message: "undefined reference to `missing'" }]],
  ['gcc-warning', 'gcc', '1 warning', []],
  ['clang-errors', 'gcc', '2 errors, 1 warning', [{ line: 4 }, { line: 5 }]],
  ['mypy-errors', 'mypy', '3 errors', [{ name: 'assignment', line: 4 }, {}, { line: 5 }]],
  ['mypy-good', 'mypy', 'no issues', []],
  ['ruff-concise', 'ruff', '5 errors', [{ name: 'I001' }, {}, {}, { name: 'F841', line: 5 }, {}]],
  ['ruff-full', 'ruff', '5 errors', [{ name: 'I001' }, {}, {}, { name: 'F841', line: 5 }, {}]],
]

describe('a digest', () => {
  it.each(ROWS)('lists the failures of %s output', (...[name, kind, summary, failures]) => {
    const digest = digestRecorded(name)
    expect(digest).toMatchObject({ kind, summary, failures })
    expect(digest.failures).toHaveLength(failures.length)
    expect(digest.ok).toBe(readRecorded(name).exitCode === 0)
  })

  it('does not report success if the exit code is not 0', () => {
    const { stdout, stderr } = readRecorded('node-good')
    const digest = digestOutput({ stdout, stderr }, { exitCode: 1 })
    expect(digest).toMatchObject({ kind: 'generic', ok: false })
    expect(digest.failures).toHaveLength(1)
    expect(digestOutput(readRecorded('tsc-errors'), { exitCode: 0 }).ok).toBe(true)
    expect(digestOutput({ stdout: '', stderr: '' }, { exitCode: null }).ok).toBe(false)
  })

  it('lists 20 failures and counts the others', () => {
    const stdout = Array.from(
      { length: 25 },
      (_, detectWithErrorAt) => `a.ts(${detectWithErrorAt + 1},1): error TS1: no\n`,
    ).join('')
    const digest = digestOutput({ stdout, stderr: '' }, { exitCode: 1 })
    expect(digest.failures).toHaveLength(20)
    expect(digest).toMatchObject({ truncatedFailures: 5, summary: '25 errors' })
  })

  it('reports files relative to the root, with forward slashes', () => {
    const stdout = 'F:\\repo\\src\\a.ts(1,2): error TS1: no\n'
    const { failures } = digestOutput({ stdout, stderr: '' }, { exitCode: 1, root: 'f:\\Repo' })
    expect(failures).toMatchObject([{ file: 'src/a.ts', line: 1 }])
  })

  it('of unrecognized output contains a short excerpt', () => {
    const stdout = Array.from(
      { length: 500 },
      (_, detectWithErrorAt) => `line ${detectWithErrorAt}`,
    ).join('\n')
    const stderr = 'it broke\nbadly\n'
    const digest = digestOutput({ stdout, stderr }, { exitCode: 2 })
    expect(digest).toMatchObject({
      kind: 'generic',
      ok: false,
      failures: [{ message: 'it broke' }],
    })
    expect(digest.excerpt?.split('\n').length).toBeLessThanOrEqual(30)
    expect(digest.excerpt).toContain('badly')
    const long = digestOutput({ stdout: 'x'.repeat(5000), stderr: '' }, { exitCode: 1 })
    expect(long.summary.length).toBeLessThan(200)
    expect(long.failures[0]?.message.length).toBeLessThanOrEqual(200)
    expect(digestOutput({ stdout: 'fine', stderr: '' }, { exitCode: 0 })).toEqual({
      kind: 'generic',
      ok: true,
      summary: 'command succeeded',
      failures: [],
    })
  })

  it.each([
    [
      'the fatal line of Go after a log',
      '--- FAIL: TestA (0.00s)\n    a_test.go:4: starting with 3 rows\n    a_test.go:9: rows = 2, want 3\nFAIL\nFAIL\tdemo\t0.1s\n',
      { file: 'a_test.go', line: 9, message: 'rows = 2, want 3' },
    ],
    [
      'the last line of Go, after which the test ended',
      '--- FAIL: TestA (0.00s)\n    a_test.go:4: starting\n    a_test.go:9: no rows\nFAIL\nFAIL\tdemo\t0.1s\n',
      { line: 9, message: 'no rows' },
    ],
    [
      'the assertion of a library of Go',
      '--- FAIL: TestA (0.00s)\n    a_test.go:9: \n        \tError Trace:\t/repo/a_test.go:9\n        \tError:      \tNot equal: \n        \t            \texpected: 3\n        \t            \tactual  : 2\nFAIL\nFAIL\tdemo\t0.1s\n',
      { line: 9, message: 'Not equal:' },
    ],
    [
      'the error of an inline program of Node',
      "[eval]:1\nthrow new Error('boom')\n^\n\nError: boom\n    at [eval]:1:7\n\nNode.js v20\n",
      { file: '[eval]', line: 1, message: 'Error: boom' },
    ],
    [
      'the error behind a place in Node itself',
      "node:internal/modules/cjs/loader:1143\n  throw err;\n  ^\n\nError: Cannot find module 'x'\nRequire stack:\n",
      { message: "Error: Cannot find module 'x'" },
    ],
    [
      'the panic of a program of Rust',
      "\nthread 'main' panicked at src/main.rs:2:5:\nno rows\nnote: run with `RUST_BACKTRACE=1`\n",
      { file: 'src/main.rs', line: 2, message: 'no rows' },
    ],
  ])('names %s', (_, stderr, failure) => {
    const { failures } = digestOutput({ stdout: '', stderr }, { exitCode: 1 })
    expect(failures).toHaveLength(1)
    expect(failures[0]).toMatchObject(failure)
  })

  it('prefers the parser of the command to the format of the output', () => {
    const text = { stdout: 'no tool has this look', stderr: '' }
    expect(digestOutput(text, { exitCode: 0, command: 'npx tsc -p .' }).kind).toBe('tsc')
    expect(digestOutput(text, { exitCode: 0, command: 'echo hello' }).kind).toBe('generic')
  })

  it('parses lines crafted to cause backtracking in linear time', () => {
    const stdout = `${'('.repeat(1e6)}\n${'1:'.repeat(5e5)}\n${' '.repeat(1e6)}`
    expect(digestOutput({ stdout, stderr: stdout }, { exitCode: 1 }).kind).toBe('generic')
  })

  it('parses only the first and the last lines of a very long output', () => {
    const lines = Array.from({ length: 2_000_000 }, () => 'x')
    const detectWithErrorAt = (index: number) => {
      const text = lines.with(index, `src/a.ts(1,2): error TS1: no`).join('\n')
      return digestOutput({ stdout: text, stderr: '' }, { exitCode: 2 }).kind
    }
    expect([
      detectWithErrorAt(0),
      detectWithErrorAt(49_999),
      detectWithErrorAt(1_900_000),
      detectWithErrorAt(1_999_999),
    ]).toEqual(Array(4).fill('tsc'))
    expect([detectWithErrorAt(50_000), detectWithErrorAt(1_899_998)]).toEqual([
      'generic',
      'generic',
    ])
  }, 60_000)
})
