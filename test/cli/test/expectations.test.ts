// @module-tag slow
import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { EXPECTATIONS } from '../../../src/core/testing/expectations/index.ts'
import { createActionSkill } from '../../helpers/projects.ts'
import { createFolder, runSkills } from '../../helpers/skills.ts'

/** Uses everything that expectations judge. */
const CODE = `
import os, socket, subprocess
from runtime import blobs
def main(args):
    print("said")
    if args.get("fail"):
        raise ValueError("wrong amount")
    os.makedirs("out", exist_ok=True)
    open("out/report.md", "w").write("Total: 3")
    open("in.txt", "a").write("more")
    os.remove("old.txt")
    status = subprocess.run(["git", "status", "-s"], capture_output=True, text=True)
    try:
        socket.getaddrinfo("evil.example", 443)
    except OSError:
        pass
    if args.get("leak"):
        open("leak.txt", "w").write(os.environ["TOKEN"])
    blob = blobs.write_text("<svg/>", kind="image/svg+xml")
    return {"rows": [{"name": "Oslo"}], "git": status.stdout, "code": status.returncode}
`

const JUDGE = `#!/usr/bin/env python3
import json, sys
record = json.load(sys.stdin)
print(json.dumps({"passed": record["result"]["code"] == 4 and "out/report.md" in record["files"]["created"], "message": "judged"}))
`

const SETUP = `
[defaults]
secrets = { TOKEN = "fake-token-value" }
files = { "in.txt" = "text", "old.txt" = "old", "same.txt" = "same" }

[defaults.fakes.git]
answers = [{ args = ["status"], stdout = "clean\\n", exit_code = 4 }]
`

const MET = [
  '{ status = "completed" }',
  '{ result = { path = "rows[0].name", equals = "Oslo" } }',
  '{ result = { includes = { rows = [{ name = "Oslo" }] } } }',
  '{ result = { path = "$.rows", type = "array", length = 1 } }',
  '{ result = { path = "git", equals = "clean\\n" } }',
  '{ result = { schema = { type = "object", required = ["rows"] } } }',
  '{ logs = { contains = "said", matches = "sa.d" } }',
  '{ files = { created = ["out/*.md"], changed = "in.txt", deleted = "old.txt", untouched = "same.txt", only = true } }',
  '{ file = { path = "out/report.md", equals = "Total: 3", size = 8 } }',
  '{ blob = { kind = "image/svg+xml", contains = "<svg", count = 1 } }',
  '{ calls = { command = "git", args = ["status", "-s"], times = 1 } }',
  '{ network = { host = "evil.example", allowed = false } }',
  '{ hides_secrets = ["TOKEN"] }',
  '{ duration = { below = "50s" } }',
  '{ isolation = { network = "filtered" } }',
  '{ program = ["tests/judge.py"] }',
]

const OF_PROGRAMS = [
  '{ exit_code = 3 }',
  '{ stdout = { contains = "out" } }',
  '{ stderr = { equals = "err\\n" } }',
]

function createProject(cases: string): string {
  const cwd = createFolder({
    ...createActionSkill('demo.all', { toml: '\n[permissions]\nsecrets = ["TOKEN"]\n' }),
    'code/main.py': CODE,
    'tests/judge.py': JUDGE,
    'tests/all.test.toml': SETUP + cases,
  })
  chmodSync(join(cwd, 'tests/judge.py'), 0o755)
  return cwd
}

const writeCase = (name: string, expectations: readonly string[], more = '') =>
  `\n[[cases]]\nname = "${name}"\n${more}expect = [\n  ${expectations.join(',\n  ')},\n]\n`

const negate = (expectation: string) => expectation.replace(/ \}$/, ', not = true }')

const PROGRAM = 'command = "echo out; echo err >&2; exit 3"\n'
const FAILING = 'args = { fail = true }\n'
const ERROR = '{ error = { type = "ValueError", message = { contains = "amount" } } }'

describe('expectations', () => {
  it('are met by a record that fits, and each can be negated', async () => {
    const cwd = createProject(
      writeCase('met', MET) +
        writeCase('program', OF_PROGRAMS, PROGRAM) +
        writeCase('error', [ERROR, '{ status = "failed" }'], FAILING) +
        writeCase('negated', MET.map(negate)) +
        writeCase('negated program', OF_PROGRAMS.map(negate), PROGRAM) +
        writeCase('negated error', [negate(ERROR)], FAILING),
    )
    const { stdout, stderr, code } = await runSkills(['test', '--reporter', 'concise'], { cwd })
    expect(stderr).toBe('')
    const failed = stdout.split('\n').filter((line) => line.includes('Expected not: '))
    const lines = stdout.split('\n').filter((line) => line.startsWith('tests/'))
    expect(lines).toEqual(failed)
    expect(failed).toHaveLength(MET.length + OF_PROGRAMS.length + 1)
    expect(code).toBe(1)
  })

  it('that are not met explain what they expected and got', async () => {
    const unmet = [
      ['{ status = "failed" }', 'Expected the status "failed", got "completed"'],
      ['{ result = { path = "rows[1]" } }', 'Expected result .rows[1] to exist'],
      ['{ result = { path = "code", equals = 5 } }', 'Expected result .code to equal the value'],
      ['{ error = { type = "ValueError" } }', 'Expected an error, got the status "completed"'],
      [
        '{ result = { path = "rows[0]", schema = { type = "object", properties = { name = { type = "integer" } } } } }',
        'Expected result .rows[0] to fit the schema, got name: Invalid input',
      ],
      ['{ logs = { equals = "x" } }', 'Expected the logs to equal the text'],
      [
        '{ files = { created = "b.txt" } }',
        'Expected a created file "b.txt", got created: out/report.md',
      ],
      ['{ files = { created = "out/*", only = true } }', 'got in.txt (changed), old.txt (deleted)'],
      ['{ file = { path = "none" } }', 'Expected the file "none", got none'],
      ['{ blob = { kind = "image/png" } }', 'Expected a blob of type image/png, got image/svg+xml'],
      [
        '{ calls = { command = "git", args = ["push"] } }',
        'Expected a call of git push, got git status -s',
      ],
      [
        '{ network = { host = "good.example" } }',
        'Expected an attempt to reach the network, host good.example',
      ],
      ['{ hides_secrets = "OTHER" }', 'no value of "OTHER" in the secrets of the case'],
      ['{ isolation = { tier = "none" } }', 'Expected the isolation tier none'],
      ['{ program = ["cat"] }', '"cat" must print {"passed": true}'],
    ] as const
    const expectations = unmet.map(([expectation]) => expectation)
    const leak = writeCase('leaks', ['{ hides_secrets = "TOKEN" }'], 'args = { leak = true }\n')
    const cwd = createProject(writeCase('unmet', expectations) + leak)
    const { stdout, code } = await runSkills(['test', '--reporter', 'concise'], { cwd })
    for (const [, message] of unmet) expect(stdout).toContain(message)
    expect(stdout).toContain('got a value in leak.txt')
    expect(code).toBe(1)
  })

  it('are all tried here', () => {
    const tried = [...MET, ...OF_PROGRAMS, ERROR].map((each) => /^\{ (\w+)/.exec(each)?.[1])
    // Snapshots and conversations have tests of their own.
    tried.push('snapshot', 'tool_result', 'request', 'loaded')
    expect(EXPECTATIONS.map(({ name }) => name).filter((name) => !tried.includes(name))).toEqual([])
  })
})
