// @module-tag slow
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { PROGRAM } from '../../helpers/built.ts'
import { runChild } from '../../helpers/child.ts'
import { createFolder } from '../../helpers/skills.ts'

const GREET = `import argparse
parser = argparse.ArgumentParser()
parser.add_argument('--name')
parser.add_argument('--loud', action='store_true')
args = parser.parse_args()
text = f'Hello, {args.name}!'
print(text.upper() if args.loud else text, open('data/mark.txt').read(), end='')
`
const ENDED = 'SandboxError: skills mcp has ended: run `skills doctor`, which says what is missing'

it('one file of Python executes code of agent-framework, ADK, smolagents and deepagents in the sandbox', async () => {
  const home = createFolder({
    'secret.txt': 'only on the host',
    'skill/scripts/greet.py': GREET,
    'skill/scripts/fail.sh': 'echo out; echo bad >&2; exit 4',
    'skill/data/mark.txt': '(data)',
  })
  const { code, stdout, stderr } = await runChild(
    'python3',
    [
      join(import.meta.dirname, 'scenario.py'),
      join(import.meta.dirname, '../../../examples/python'),
      JSON.stringify(PROGRAM),
      join(home, 'secret.txt'),
      join(home, 'skill'),
    ],
    { cwd: home, env: { HOME: home, PYTHONDONTWRITEBYTECODE: '1' } },
  )
  expect(stderr).toBe('')
  expect(code).toBe(0)
  expect(stdout).not.toContain('only on the host')
  const found = JSON.parse(stdout) as Record<string, unknown>

  expect(found).toMatchObject({
    run: { stdout: 'in\nb c\n', stderr: 'err\n', exit_code: 3, timed_out: false },
    host: { exit_code: 1, stderr: expect.stringContaining('No such file or directory') },
    late: true,
    long: true,
    bytes: true,
    outside: expect.stringContaining('/etc/passwd is not in /workspace'),
    missing: expect.stringContaining('"none" does not exist'),
    threads: ['0\n', '1\n', '2\n', '3\n'],
    killed: ENDED,
    ended: ENDED,
  })
  expect(found['scripts']).toEqual([
    'HELLO, ADA LOVELACE! (data)',
    'Hello, $(id)! (data)',
    'out\nbad\n\nScript exited with code 4',
    expect.stringContaining('scripts/tool.exe has no known interpreter'),
    expect.stringContaining('is not a file of the skill'),
  ])
  expect(found['adk']).toEqual([
    '8\n',
    '',
    [['out.txt', 'A,B\n1,2\n', 'text/plain']],
    'The code exited with 2',
    "['.code.py']\n",
    true,
    expect.stringContaining('is not in /workspace'),
  ])
  expect(found['smolagents']).toEqual([
    { output: 42, logs: 'it\'s "q"\n\n', is_final_answer: false },
    { output: { y: 21 }, logs: '', is_final_answer: true },
    'SandboxError: before',
    expect.stringContaining('cannot call web_search'),
  ])
  expect(found['deepagents']).toEqual([
    'python',
    { output: 'out\nerr\n', exit_code: 3, truncated: false },
    [
      { path: '/workspace/up', error: null },
      { path: '/etc/x', error: 'invalid_path' },
    ],
    [
      ['/workspace/up', [1], null],
      ['/workspace/none', null, 'file_not_found'],
      ['/etc/passwd', null, 'invalid_path'],
    ],
  ])
})
