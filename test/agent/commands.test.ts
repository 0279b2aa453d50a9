// @module-tag slow
import { expect, it } from 'vitest'
import { createAgentSession } from '../../src/agent/session.ts'
import { localHost } from '../../src/agent/local-host.ts'
import { TEST_SKILLS, createTestRuntime, callTool, SKILL_TOOLS } from '../helpers/agent.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'

it(
  'a command runs after its skill was loaded, also in later turns',
  { timeout: 60_000 },
  async () => {
    const { runtime, dir } = await createTestRuntime()
    const call = { cwd: dir, env: { PATH: process.env['PATH'] } }
    for (const loadMode of ['turn', 'once'] as const) {
      const host = localHost(runtime, { call })
      const session = createAgentSession({ host, tools: SKILL_TOOLS, loadMode })
      const run = async () =>
        await callTool(session, 'skill_run', { skill: 'demo', command: 'cat USAGE.md' })
      expect((await run()).text).toContain('requires skill_load first for "demo"')
      await callTool(session, 'skill_load', { skill: 'demo' }, 'c1')
      await session.compose({ length: 3, results: new Set(['c1']) })
      await session.compose({ length: 5, results: new Set(['c1']) })
      expect((await run()).value).toMatchObject({ exit_code: 0 })
      await session.beginTurn()
      expect((await run()).text).toContain('USAGE TEXT')
    }
  },
)

it(
  'a hidden skill is unreachable for commands, programs and imports',
  { timeout: 60_000 },
  async () => {
    const tree = {
      ...TEST_SKILLS,
      ...prefixPaths('skills/greet', createActionSkill('demo.greet')),
      ...prefixPaths('skills/hidden', createActionSkill('demo.hidden')),
    }
    const { runtime, dir } = await createTestRuntime(tree)
    const call = { cwd: dir, env: { PATH: process.env['PATH'] } }
    const session = createAgentSession({
      host: localHost(runtime, { call }),
      tools: ['skill_load', 'skill_run', 'skill_exec', 'execute_skill', 'run_code'],
      requireLoaded: false,
      filter: ({ name }) => name !== 'demo.hidden' && name !== 'demo',
    })
    const code = 'def main(a):\n  return 1'
    const tries: [tool: string, args: (skill: string) => object, seen: string][] = [
      ['skill_run', (skill) => ({ skill, command: 'true' }), 'other'],
      ['skill_exec', (skill) => ({ skill, command: 'true' }), 'other'],
      ['execute_skill', (name) => ({ name, args: { name: 'Ada' } }), 'demo.greet'],
      ['run_code', (each) => ({ language: 'python', code, mount_skills: [each] }), 'demo.greet'],
      [
        'skill_run',
        (each) => ({
          skill: 'other',
          command: 'ls $WORK_DIR/inputs',
          inputs: [{ from: `skill://${each}/SKILL.md`, to: 'work/inputs/it.md' }],
        }),
        'third',
      ],
    ]
    for (const [tool, args, seen] of tries) {
      expect(await callTool(session, tool, args(seen))).toMatchObject({ isError: false })
      for (const hidden of ['demo.hidden', 'demo']) {
        const { isError, text } = await callTool(session, tool, args(hidden))
        expect({ tool, hidden, isError, text }).toMatchObject({ isError: true })
        expect(text).not.toContain('BODY')
      }
    }
  },
)

it(
  'a session with requireLoaded: false runs commands without loading',
  { timeout: 60_000 },
  async () => {
    const { runtime, dir } = await createTestRuntime()
    const host = localHost(runtime, { call: { cwd: dir, env: { PATH: process.env['PATH'] } } })
    const session = createAgentSession({ host, tools: ['skill_run'], requireLoaded: false })
    const { value } = await callTool(session, 'skill_run', { skill: 'demo', command: 'true' })
    expect(value).toMatchObject({ exit_code: 0 })
  },
)

it('the answer of a run has the isolation for the application, not for the model', async () => {
  const { runtime, dir } = await createTestRuntime()
  const call = { cwd: dir, env: { PATH: process.env['PATH'] } }
  const session = createAgentSession({ host: localHost(runtime, { call }), tools: ['run_code'] })
  const code = 'def main(a):\n  return 1'
  const answer = await callTool(session, 'run_code', { language: 'python', code })
  expect(answer.value).toMatchObject({ status: 'completed', output: 1 })
  expect([answer.text, JSON.stringify(answer.value)].join()).not.toContain('isolation')
  expect(answer.details).toMatchObject({ isolation: { backend: expect.any(String) } })
  const [tool] = await session.tools()
  expect(JSON.stringify(tool)).not.toContain('isolation')
})

it('the answer of a command has the offsets for the application, not for the model', async () => {
  const { runtime, dir } = await createTestRuntime()
  const call = { cwd: dir, env: { PATH: process.env['PATH'] } }
  const session = createAgentSession({
    host: localHost(runtime, { call }),
    tools: ['workspace_exec'],
  })
  const answer = await callTool(session, 'workspace_exec', { command: 'echo hi' })
  expect(answer.value).toEqual({
    status: 'exited',
    output: 'hi\n',
    exit_code: 0,
    run_id: expect.any(String),
  })
  expect(answer.details).toEqual({ offset: 0, next_offset: 1, total_bytes: 3 })
  const [tool] = await session.tools()
  expect(JSON.stringify(tool)).not.toMatch(/offset|total_bytes|maxLength|propertyNames/)
})
