// @module-tag slow
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { runSkills } from '../../helpers/skills.ts'
import { call, createProject, LOAD, run, writeCase } from './scripted.ts'

const TOOLS = 'tools = ["skill_load", "skill_run", "execute_skill", "run_code", "kernel"]'
const execute = (args: object) => call('execute_skill', { name: 'demo.talk', args })

describe('a conversation', { timeout: 60_000 }, () => {
  it('counts for the coverage of code and of the interface', async () => {
    const cases = writeCase({
      more: `${TOOLS}\nfakes = { git = { stdout = "" } }\nsecrets = { TOKEN = "a-fake-token" }`,
      calls: [execute({}), execute({ fail: true })],
      expected: ['{ status = "completed" }'],
    })
    const argv = ['test', 'demo', '--coverage', '--threshold', '100']
    const { stderr, code } = await runSkills(argv, { cwd: createProject(cases) })
    expect(stderr).toMatch(/main\.py\D+100/)
    expect(code).toBe(0)
    const fewer = cases.replaceAll('fail = true', 'other = true')
    const control = await runSkills(argv, { cwd: createProject(fewer) })
    expect(control.stderr).toContain('a run that fails')
    expect(control.code).toBe(1)
  })

  it('is in every report, with its tool calls where it failed', async () => {
    const cases = writeCase({ calls: [LOAD], expected: ['{ loaded = [] }'] })
    const cwd = createProject(cases)
    const files = ['junit=a.xml', 'tap=a.tap', 'html=a.html', 'markdown=a.md', 'json=a.json']
    const argv = ['test', 'demo', ...files.flatMap((each) => ['--reporter', each])]
    const { stdout, code } = await runSkills([...argv, '--reporter', 'pretty'], { cwd })
    expect(code).toBe(1)
    expect(stdout).toContain('│ 1. skill_load {"skill":"demo.talk"}')
    for (const file of ['a.xml', 'a.tap', 'a.html', 'a.md', 'a.json']) {
      const text = readFileSync(join(cwd, file), 'utf8')
      expect(text, file).toContain('Expected the loaded skills to be none, got demo.talk')
    }
  })

  it('passes lint, which reports its mistakes with their positions', async () => {
    const cases = writeCase({ calls: [LOAD], expected: ['{ loaded = ["demo.talk"] }'] })
    const valid = await runSkills(['lint', 'demo'], { cwd: createProject(cases) })
    expect(valid.stdout).not.toContain('talk.test.toml')
    const wrong = cases.replace('loaded =', 'lodaed =')
    const { stdout } = await runSkills(['lint', 'demo'], { cwd: createProject(wrong) })
    expect(stdout).toContain('Unknown expectation "lodaed"')
  })

  it('gives a judge program its requests and results', async () => {
    const judge = `#!/usr/bin/env python3
import json, sys
turns = json.load(sys.stdin)["conversation"]["turns"]
said = turns[0]["answer"]["calls"][0]["text"]
print(json.dumps({"passed": said == "loaded: demo.talk" and len(turns) == 2}))
`
    const cwd = createProject(
      writeCase({ calls: [LOAD], expected: ['{ program = ["python3", "tests/judge.py"] }'] }),
      { 'demo/tests/judge.py': judge },
    )
    const { stdout, code } = await runSkills(['test', 'demo'], { cwd })
    expect(stdout).toContain('1 passed')
    expect(code).toBe(0)
  })

  it('can use a kernel, which has the fixed clock and ends with its case', async () => {
    const cell = (code: string) => call('run_code', { language: 'python', code, kernel: 'k' })
    const cases = writeCase({
      more: TOOLS,
      calls: [cell('x = 20'), cell('x + 1'), cell('import time; int(time.time())')],
      expected: [
        '{ tool_result = { call = 2, path = "output", equals = 21 } }',
        '{ tool_result = { call = 3, path = "output", equals = 1704067200 } }',
      ],
    })
    const again = writeCase({
      name: 'another',
      more: TOOLS,
      calls: [cell('x')],
      expected: ['{ tool_result = { call = 1, path = "status", equals = "failed" } }'],
    })
    const { stdout, code } = await runSkills(['test', 'demo'], {
      cwd: createProject(cases + again),
    })
    expect(stdout).toContain('2 passed')
    expect(code).toBe(0)
  })

  it('has a workspace of its own, and its commands print no logs', async () => {
    const background = call('workspace_exec', {
      command: 'while sleep 0.1; do date >> work/log.txt; done',
      background: true,
    })
    const more = 'tools = ["skill_load", "skill_run", "workspace_exec"]'
    const cwd = createProject(
      writeCase({
        more,
        calls: [background, call('workspace_exec', { command: 'sleep 1; echo done' })],
        expected: ['{ file = { path = "work/log.txt" } }', '{ logs = { equals = "" } }'],
      }) +
        writeCase({
          name: 'next',
          more,
          calls: [LOAD, run('ls $WORK_DIR')],
          expected: [
            '{ tool_result = { call = 2, path = "stdout", includes = "log" }, not = true }',
          ],
        }),
    )
    const { stdout, code } = await runSkills(['test', 'demo'], { cwd })
    expect(stdout).toContain('2 passed')
    expect(code).toBe(0)
  })
})
