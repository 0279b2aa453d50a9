// @module-tag slow
// @module-tag nightly
import { setTimeout as sleep } from 'node:timers/promises'
import { beforeEach, expect, it, onTestFinished } from 'vitest'
import { findRunners, loadBuiltModulesInRunners } from '../helpers/runners.ts'
import { createFolder, runSkills, type CliInvocation } from '../helpers/skills.ts'

const SKILL = {
  'skill/skill.toml': `name = "test.double"
version = "0.1.0"
description = "x"
kind = "action"
[runtime]
language = "python"
entrypoint = "main.py"
export = "main"
`,
  'skill/main.py': `def main(args):
    print("doubling", flush=True)
    return args["n"] * 2
`,
}

beforeEach(() => loadBuiltModulesInRunners())

/** Runs command lines in one folder. */
function createShell() {
  const cwd = createFolder(SKILL)
  onTestFinished(async () => {
    for (const pid of findRunners(cwd)) process.kill(pid, 'SIGTERM')
    while (findRunners(cwd).length > 0) await sleep(20)
  })
  const at: CliInvocation = { cwd, env: { HOME: cwd } }
  const skills = async (...argv: string[]) => await runSkills(argv, at)
  const detach = async (...argv: string[]) => {
    const started = await skills(...argv, '--detach')
    expect(started.code).toBe(0)
    return started.stdout.trim()
  }
  const runShell = async (code: string) =>
    await detach('run-code', '--language', 'shell', '--as', 'program', '--code', code)
  return { cwd, skills, detach, runShell }
}

it('exec --detach prints the id of a run, and runs wait its result', async () => {
  const { skills, detach } = createShell()
  const id = await detach('exec', './skill', '--args', '{"n":21}')
  expect(id).toMatch(/^run_[0-9a-f]{24}$/)
  const waited = await skills('runs', 'wait', id.slice(0, 14))
  expect(waited).toMatchObject({ code: 0, stdout: '42\n' })
  expect(waited.stderr).toContain('completed after ')
  expect((await skills('runs', 'logs', id)).stdout).toBe('doubling\n')
  expect((await skills('runs', 'wait', id, '--json')).json()).toMatchObject({
    schema: 'skills.run-state/v1',
    run_id: id,
    status: 'completed',
    result: { status: 'completed', output: 42 },
  })
})

it('runs wait of a failed program exits with 1, and shows its output', async () => {
  const { skills, runShell } = createShell()
  const id = await runShell('echo out; echo err >&2; exit 7')
  const waited = await skills('runs', 'wait', id)
  expect(waited).toMatchObject({ code: 1, stdout: 'out\n' })
  expect(waited.stderr).toContain('err\nFailed: exit code 7')
})

it('runs logs --follow prints the logs until the run ends, from an offset', async () => {
  const { skills, runShell } = createShell()
  const id = await runShell('for i in 1 2 3; do echo $i; sleep 0.3; done')
  expect((await skills('runs', 'logs', id, '--follow')).stdout).toBe('1\n2\n3\n')
  expect((await skills('runs', 'logs', id, '--follow', '--offset', '2')).stdout).toBe('2\n3\n')
  expect((await skills('runs', 'logs', id, '--offset', '4', '--json')).json()).toMatchObject({
    offset: 4,
    next_offset: 6,
    more: false,
    logs: '3\n',
  })
})

it('runs wait --timeout gives up, and runs cancel ends the run', async () => {
  const { skills, runShell } = createShell()
  const id = await runShell('sleep 100')
  const waited = await skills('runs', 'wait', id, '--timeout', '300ms')
  expect(waited).toMatchObject({ code: 3, stdout: '' })
  expect(waited.stderr).toContain(`The run "${id}" is still running`)
  expect(await skills('runs', 'cancel', id)).toMatchObject({ code: 0, stdout: `${id} cancelled\n` })
  expect(await skills('runs', 'wait', id)).toMatchObject({ code: 1, stdout: '' })
})

it.each([
  [['run-code', '--code', 'x', '--detach', '--watch'], '--detach cannot be combined with --watch'],
  [['run-code', '--code', 'x', '--detach', '--out', 'o'], '--detach cannot be combined with --out'],
  [['exec', './skill', '--detach', '--pdb'], '--detach cannot be combined with --pdb'],
  [['runs', 'logs', 'run_1', '--offset', '-1'], 'Expected a number of bytes for --offset'],
  [['runs', 'logs', 'run_1', '--follow', '--json'], '--follow cannot be combined with --json'],
  [['runs', 'wait', 'run_1', '--timeout', 'x'], 'Expected a duration for --timeout, got "x"'],
])('%j is refused', async (argv, message) => {
  const { skills } = createShell()
  const { code, stdout, stderr } = await skills(...argv)
  expect(code).toBe(2)
  expect(`${stdout}${stderr}`).toContain(message)
})
