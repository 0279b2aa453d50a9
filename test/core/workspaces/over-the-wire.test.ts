import { describe, expect, it } from 'vitest'
import { createTestApp } from '../../helpers/app.ts'

const SKILL = '---\nname: demo\ndescription: Demonstrates.\n---\n# Demo\n'

describe('workspace tools over JSON-RPC', () => {
  const callMethod = async (
    app: Awaited<ReturnType<typeof createTestApp>>,
    method: string,
    params: object,
  ) => {
    const response = await app.post(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }))
    return (await response.json()) as {
      result?: Record<string, unknown>
      error?: { message: string }
    }
  }

  it('accept a session and alternative spellings, and return one shape', async () => {
    const app = await createTestApp({ 'skills/demo/SKILL.md': SKILL })
    const ran = await callMethod(app, 'skill_run', {
      session: 's',
      Skill: 'demo',
      Command: 'echo hi > out/a.txt',
      Outputs: { Globs: ['out/*'], MaxFiles: 1, Inline: true },
    })
    expect(ran.result).toMatchObject({ exit_code: 0, output_files: [{ content: 'hi\n' }] })
    const read = await callMethod(app, 'workspace_read', {
      session: 's',
      ref: 'workspace://out/a.txt',
    })
    expect(read.result).toMatchObject({ content: 'hi\n' })
    const shell = await callMethod(app, 'workspace_exec', {
      session: 's',
      command: 'cat out/a.txt',
      timeoutSec: 9,
    })
    expect(shell.result).toMatchObject({ output: 'hi\n' })
  })

  it('run commands that continue between calls', async () => {
    const app = await createTestApp({ 'skills/demo/SKILL.md': SKILL })
    const begun = await callMethod(app, 'skill_exec', {
      session: 's',
      skill: 'demo',
      command: 'read x; echo $x',
      yield_ms: 300,
    })
    const id = begun.result?.['session_id']
    const message = await callMethod(app, 'skill_write_stdin', {
      session: 's',
      session_id: id,
      chars: 'y',
      submit: true,
      yield_ms: 9000,
    })
    expect(JSON.stringify(message)).toContain('y')
    expect(
      (await callMethod(app, 'skill_kill_session', { session: 's', session_id: id })).result,
    ).toMatchObject({ ok: true })
    await (await app.runtime.liveSessions()).endAll()
  })

  it.each([
    [{ skill: 'demo', command: 'true' }, "missing 'session'"],
    [{ session: 's', skill: 'demo' }, "missing 'command'"],
    [{ session: 's', skill: 'demo', command: 1 }, 'expected string, got 1'],
    [{ session: 's', skill: 'demo', command: 'true', cmd: 'x' }, "unknown parameter 'cmd'"],
    [{ session: '', skill: 'demo', command: 'true' }, "'session'"],
  ])('report the invalid parameter of %j', async (params, why) => {
    const app = await createTestApp({ 'skills/demo/SKILL.md': SKILL })
    expect((await callMethod(app, 'skill_run', params)).error?.message).toContain(why)
  })
})
