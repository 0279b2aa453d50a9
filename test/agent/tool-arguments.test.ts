import { describe, expect, it } from 'vitest'
import { localHost } from '../../src/agent/local-host.ts'
import { repairJson } from '../../src/agent/repair-json.ts'
import { createAgentSession } from '../../src/agent/session.ts'
import { createTestRuntime, createTestSession, callTool } from '../helpers/agent.ts'

describe('arguments of a tool call', () => {
  it.each([
    ['{"skill": "demo",}', ['a trailing comma']],
    ['{"skill": "demo", "docs": ["USAGE.md",],}', ['a trailing comma']],
    ['```json\n{"skill": "demo"}\n```', ['a code fence around them']],
    ['~~~\n{"skill": "demo",\n}\n~~~\n', ['a code fence around them', 'a trailing comma']],
  ])('are repaired, and the answer says so: %s', async (text, repairs) => {
    const session = await createTestSession()
    const answer = await session.call({ id: '1', name: 'skill_load', arguments: text })
    expect(answer).toMatchObject({ isError: false, value: 'loaded: demo', repairs })
    expect(answer.text).toBe(
      `loaded: demo\n\nNote: the arguments were not valid JSON, and were read without ${repairs.join(' and ')}. Write plain JSON.`,
    )
    expect(session.loaded).toEqual(['demo'])
  })

  it('that are valid are read as they are', async () => {
    const session = await createTestSession()
    const text = '{"skill": "demo", "docs": ["```,}"]}'
    const answer = await session.call({ id: '1', name: 'skill_load', arguments: text })
    expect(answer).not.toHaveProperty('repairs')
    expect(repairJson('{"a": "```json\\n,]"}')).toBeUndefined()
  })

  it.each([
    '{"skill": "demo"',
    '{skill: "demo"}',
    "{'skill': 'demo'}",
    '{"skill": "demo"} {"skill": "other"}',
    '{"skill": // it\n "demo"}',
    '{"skill": "demo",,}',
    'Here it is:\n```json\n{"skill": "demo"}\n```',
    '```json\n{"skill": "demo"}\n```\n```json\n{"skill": "other"}\n```',
    '[,]',
  ])('with another mistake are refused: %s', async (text) => {
    const session = await createTestSession()
    const answer = await session.call({ id: '1', name: 'skill_load', arguments: text })
    expect(answer).toMatchObject({ isError: true, text: expect.stringContaining('invalid args') })
    expect(session.loaded).toEqual([])
  })
})

it('errors and warnings have no paths of the host for a model', async () => {
  const { runtime, dir } = await createTestRuntime()
  const home = '/home/ada lovelace/my skills'
  const call = { cwd: dir, env: { HOME: home } }
  const host = localHost(runtime, { call })
  const failing = {
    ...host,
    call: async () => {
      throw new Error(`EACCES: open '${home}/.key' and '${dir}/x' and '/srv/secret/y.txt'`)
    },
  }
  const session = createAgentSession({ host: failing, tools: ['runtime.languages'] })
  const { text } = await callTool(session, 'runtime.languages', {})
  expect(text).toContain('EACCES')
  for (const secret of ['ada', 'lovelace', dir, 'secret']) expect(text).not.toContain(secret)
  const warned = createAgentSession({
    host: { ...host, call: async () => ({ warnings: [`cannot read ${dir}/skills/x`] }) },
    tools: ['runtime.languages'],
  })
  const answer = await callTool(warned, 'runtime.languages', {})
  expect(answer.text).toContain('cannot read …')
  expect(JSON.stringify(answer)).not.toContain(dir)
})
