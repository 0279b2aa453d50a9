import { describe, expect, it } from 'vitest'
import { createTokenBook, parseTokenEntries } from '../../src/server/auth/tokens.ts'
import { createActionSkill, prefixPaths } from '../helpers/projects.ts'
import { startTestServer, type TestServer } from '../helpers/server.ts'

const tree = prefixPaths('skills/greet', createActionSkill('demo.greet'))

async function readIsolation(server: TestServer): Promise<Record<string, unknown>> {
  const { isolation } = await server.result('execute_skill', { name: 'demo.greet' })
  return isolation as Record<string, unknown>
}

describe('the runs of a server', () => {
  it('are cold until the zygote is ready, warm afterwards, and counted by path', async () => {
    const server = await startTestServer({ tree, fastPaths: true })
    const early = await Promise.all([readIsolation(server), readIsolation(server)])
    // On a slow machine, the zygote may be ready before the first run.
    const cold = early.filter(({ path }) => path === 'cold')
    for (const each of cold) expect(each['reason']).toBe('starting')
    await server.runtime.sandboxes.pool?.waitUntilSettled()
    expect(await readIsolation(server)).toMatchObject({ path: 'warm', reason: 'zygote' })
    const metrics = await (await server.fetch('/metrics')).text()
    expect(metrics).toContain(`skills_runs_by_path_total{path="warm"} ${3 - cold.length}`)
    if (cold.length > 0) {
      expect(metrics).toContain(`skills_runs_by_path_total{path="cold"} ${cold.length}`)
      expect(metrics).toContain(`skills_runs_fallback_total{reason="starting"} ${cold.length}`)
    }
  })

  it.each([
    ['run.warm is false', { settings: { 'run.warm': false } }],
    ['there are no fast paths', { fastPaths: false }],
  ])('are all cold if %s', async (_, setup) => {
    const server = await startTestServer({ tree, ...setup })
    expect(server.runtime.sandboxes.pool).toBeUndefined()
    expect(await readIsolation(server)).toMatchObject({ path: 'cold', reason: 'single call' })
  })

  const [one, other] = ['alice-has-a-long-token alice', 'bob-has-a-long-token bob']
  it.each([
    [[one], undefined, 'shared'],
    [[one, other], undefined, 'own'],
    [[one, other], true, 'shared'],
    [[one], 'aslr', 'own'],
  ])(
    'with the tokens %j and run.warm = %s, have a memory layout that is %s',
    async (lines, warm, kind) => {
      const tokens = createTokenBook(parseTokenEntries(lines.join('\n'), 'tokens'))
      const settings = { 'run.warm': warm }
      const server = await startTestServer({ tree, settings, tokens, fastPaths: true })
      await server.runtime.sandboxes.pool?.waitUntilSettled()
      const method = 'execute_skill'
      const call = { jsonrpc: '2.0', id: 1, method, params: { name: 'demo.greet' } }
      const authorization = 'Bearer alice-has-a-long-token'
      const answer = await (await server.post(call, { authorization })).json()
      const isolation = { path: 'warm', memory_layout: kind }
      expect(answer).toMatchObject({ result: { isolation } })
    },
  )

  it('are counted whatever their result reports', async () => {
    const server = await startTestServer({ tree, fastPaths: true })
    await server.runtime.sandboxes.pool?.waitUntilSettled()
    const code = (body: string) => ({ language: 'python', code: `def main(args):\n    ${body}\n` })
    const counted = async () => {
      const metrics = await (await server.fetch('/metrics')).text()
      return Number(/^skills_runs_by_path_total\{path="warm"\} (\d+)$/m.exec(metrics)?.[1] ?? 0)
    }
    await server.result('execute_skill', { name: 'demo.greet' })
    await server.result('run_code', code('return 1 / 0'))
    await server.result('run_code', code('import os; os._exit(3)'))
    expect(await counted()).toBe(3)
    const executed = await server.result('runtime.execute', { runtime: 'shell', code: 'echo hi' })
    expect(executed).toMatchObject({ status: 'success' })
    expect(executed).not.toHaveProperty('isolation')
    expect(await counted()).toBe(4)
    const session = 'one'
    await server.result('skill_load', { skill: 'demo.greet', session })
    await server.result('skill_run', { skill: 'demo.greet', command: 'echo hi', session })
    const metrics = await (await server.fetch('/metrics')).text()
    expect(metrics).toContain('skills_runs_fallback_total{reason="session"} 1')
    // A run that never started is not counted.
    await server.call('execute_skill', { name: 'no.such' })
    expect(await counted()).toBe(4)
  })

  it('use an edited skill at once', async () => {
    const server = await startTestServer({ tree, fastPaths: true })
    await server.runtime.sandboxes.pool?.waitUntilSettled()
    const { writeTree } = await import('../helpers/skills.ts')
    for (const value of ['one', 'two', 'three']) {
      writeTree(server.dir, {
        'skills/greet/code/main.py': `def main(args):\n    return "${value}"\n`,
      })
      const { output, isolation } = await server.result('execute_skill', { name: 'demo.greet' })
      expect([output, (isolation as { path: string }).path]).toEqual([value, 'warm'])
    }
  })
})
