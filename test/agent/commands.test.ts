import { expect, it } from 'vitest'
import { createAgentSession } from '../../src/agent/session.ts'
import { localHost } from '../../src/agent/local-host.ts'
import { testRuntime, use } from '../helpers/agent.ts'

it(
  'a command runs once its skill was loaded, and in later turns',
  { timeout: 60_000 },
  async () => {
    const { runtime, dir } = await testRuntime()
    const call = { cwd: dir, env: { PATH: process.env['PATH'] } }
    for (const loadMode of ['turn', 'once'] as const) {
      const host = localHost(runtime, { call })
      const session = createAgentSession({ host, tools: 'full', loadMode })
      const run = async () =>
        await use(session, 'skill_run', { skill: 'demo', command: 'cat USAGE.md' })
      expect((await run()).text).toContain('requires skill_load first for "demo"')
      await use(session, 'skill_load', { skill: 'demo' }, 'c1')
      await session.compose({ length: 3, results: new Set(['c1']) })
      await session.compose({ length: 5, results: new Set(['c1']) })
      expect((await run()).value).toMatchObject({ exit_code: 0 })
      await session.beginTurn()
      expect((await run()).text).toContain('USAGE TEXT')
    }
  },
)

it('a session may do without loading first', { timeout: 60_000 }, async () => {
  const { runtime, dir } = await testRuntime()
  const host = localHost(runtime, { call: { cwd: dir, env: { PATH: process.env['PATH'] } } })
  const session = createAgentSession({ host, tools: ['skill_run'], requireLoaded: false })
  const { value } = await use(session, 'skill_run', { skill: 'demo', command: 'true' })
  expect(value).toMatchObject({ exit_code: 0 })
})
