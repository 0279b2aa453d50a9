import { describe, expect, it } from 'vitest'
import { createAgentSession } from '../../../src/agent/session.ts'
import { localHost } from '../../../src/agent/local-host.ts'
import type { RunCall } from '../../../src/core/runs/run-call.ts'
import { createFolder } from '../../helpers/skills.ts'
import { createSession } from './in-workspace.ts'

const SKILL_TOML = `name = "demo"
version = "1.0.0"
description = "Demonstrates."

[permissions]
secrets = ["TOKEN"]
network = ["https://api.example.com"]
`
const VALUE = 'very-secret-value'
const SHOW = 'echo "<${#TOKEN}>" "<${HTTPS_PROXY:+proxy}>"'

async function createLoadedSession(settings: Record<string, unknown> = {}) {
  const session = await createSession({ files: { 'demo/skill.toml': SKILL_TOML }, settings })
  const load = async () =>
    await session.runtime.skillLoad({ session: 's', skill: 'demo' }, session.call)
  const shell = async (command: string, more: Partial<RunCall> = {}) =>
    await session.runtime.workspaceExec({ session: 's', command }, { ...session.call, ...more })
  return { ...session, load, shell }
}

describe('workspace_exec', () => {
  it('gets the secrets and the network of loaded skills only', async () => {
    const { shell, load } = await createLoadedSession()
    const call = { grants: { secrets: new Map([['TOKEN', VALUE]]), allowNetwork: true } }
    expect((await shell(SHOW, call)).output).toBe('<0> <>\n')
    await load()
    const { output, warnings } = await shell(SHOW, call)
    expect(output).toBe(`<${VALUE.length}> <proxy>\n`)
    expect(warnings?.join()).toContain('may use the network (https://api.example.com)')
    expect((await shell('echo $TOKEN', call)).output).not.toContain(VALUE)
  })

  it('says why it does not get them', async () => {
    const { shell, load } = await createLoadedSession()
    await load()
    const { output, warnings } = await shell(SHOW)
    expect(output).toBe('<0> <>\n')
    expect(warnings?.join('\n')).toMatch(/no network.*api\.example\.com.*without --allow-network/)
    expect(warnings?.join('\n')).toContain('The secret TOKEN is declared but not configured')
  })

  it('runs without them, and says so, if the policy would refuse them', async () => {
    const policy = createFolder({
      'policy.toml': '[deny]\nnetwork = ["*"]\n',
    })
    const { shell, load } = await createLoadedSession({
      'policy.file': `${policy}/policy.toml`,
    })
    await load()
    const { output, warnings } = await shell(SHOW, { grants: { allowNetwork: true } })
    expect(output).toBe('<0> <>\n')
    expect(warnings?.join('\n')).toMatch(/neither network nor secrets of the loaded skills demo/)
  })
})

describe('the functions of a session', () => {
  const openSession = async (options: object) => {
    const { runtime, call } = await createLoadedSession()
    return createAgentSession({
      host: localHost(runtime, { call }),
      id: 's',
      tools: ['skill_load', 'skill_run', 'workspace_exec', 'write_stdin', 'kill'],
      requireLoaded: false,
      ...options,
    })
  }
  const callTool = async (
    session: Awaited<ReturnType<typeof openSession>>,
    name: string,
    args: object,
  ) => await session.call({ id: 'call-1', name, arguments: args })

  it('give secrets and environment to each call', async () => {
    const seen: unknown[] = []
    const session = await openSession({
      secrets: async (call: { arguments: { command: string } }) => {
        seen.push(call)
        return call.arguments.command.includes('with') ? { TOKEN: VALUE, OTHER: 'x' } : undefined
      },
      environment: ({ id }: { id: string }) => ({ CALL_ID: id, MODEL: 'application' }),
    })
    const command = 'echo "<${#TOKEN}> <$OTHER> $CALL_ID $MODEL"'
    const args = { skill: 'demo', command: `${command} with`, env: { MODEL: 'model' } }
    const first = await callTool(session, 'skill_run', args)
    expect(first.value).toMatchObject({
      stdout: `<${VALUE.length}> <> call-1 application with\n`,
    })
    const second = await callTool(session, 'skill_run', { skill: 'demo', command })
    expect(second.value).toMatchObject({ stdout: '<0> <> call-1 application\n' })
    expect(seen[0]).toMatchObject({ id: 'call-1', name: 'skill_run', session: 's' })
    await session.end()
  })

  it('are not called for tools that start nothing', async () => {
    const session = await openSession({
      secrets: () => {
        throw new Error('called')
      },
    })
    expect(await callTool(session, 'skill_load', { skill: 'demo' })).toMatchObject({
      isError: false,
    })
  })

  it.each([
    [{ environment: () => ({ 'A B': 'x' }) }, 'the name "A B"'],
    [{ secrets: () => ({ TOKEN: 5 }) }, 'a value for "TOKEN" that is not a text'],
    [{ secrets: () => ['x'] }, 'something other than an object'],
  ])('must return variables: %o', async (options, problem) => {
    const session = await openSession(options)
    const answer = await callTool(session, 'workspace_exec', { command: 'true' })
    expect(answer).toMatchObject({ isError: true })
    expect(answer.text).toContain(problem)
  })

  it('are refused where they have no effect', async () => {
    await expect(openSession({ secrets: { TOKEN: VALUE } })).rejects.toThrow('is not a function')
    const { runtime } = await createLoadedSession()
    const host = { ...localHost(runtime), takesCallValues: false }
    expect(() => createAgentSession({ host, secrets: () => ({}) })).toThrow('remote runtime')
  })
})
