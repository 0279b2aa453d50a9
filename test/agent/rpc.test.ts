import { describe, expect, it } from 'vitest'
import { localHost } from '../../src/agent/local-host.ts'
import { createAgentSession, type AgentSession } from '../../src/agent/session.ts'
import { remoteHost } from '../../src/agent/remote-host.ts'
import { createClient } from '../../src/client/index.ts'
import { createRuntime } from '../../src/core/runtime.ts'
import { deriveSessionKey } from '../../src/core/skill-context/session-key.ts'
import { listLoadedSkills, getAgentLoads } from '../../src/core/skill-context/session-state.ts'
import { parseTokens } from '../../src/server/auth/tokens.ts'
import { startTestServer } from '../helpers/server.ts'
import { TEST_SKILLS, createTestRuntime, callTool, SKILL_TOOLS } from '../helpers/agent.ts'

describe('the tools over JSON-RPC', () => {
  it('load, select and list with an explicit session', async () => {
    const server = await startTestServer({ tree: TEST_SKILLS })
    const at = { skill: 'demo', session: 's1' }
    expect(await server.result('skill_load', { ...at, docs: ['USAGE.md'] })).toBe('loaded: demo')
    expect(
      await server.result('skill_select_docs', { ...at, docs: ['EXTRA.txt'], mode: 'add' }),
    ).toEqual({
      skill: 'demo',
      selected_docs: ['EXTRA.txt', 'USAGE.md'],
      mode: 'add',
    })
    expect(await server.result('skill_list_docs', { skill: 'demo' })).toEqual([
      'EXTRA.txt',
      'USAGE.md',
      'docs/a.md',
    ])
    expect(await server.result('skill_select_docs', { ...at, session: 's2', mode: 'add' })).toEqual(
      {
        skill: 'demo',
        mode: 'add',
      },
    )
    const other = { ...at, agent: 'child', mode: 'add' }
    expect(await server.result('skill_select_docs', other)).toEqual({ skill: 'demo', mode: 'add' })
  })

  it('accept alternative spellings, and report the invalid parameter', async () => {
    const server = await startTestServer({ tree: TEST_SKILLS })
    const spelt = { Skill: 'demo', includeAllDocs: true, Session: 's' }
    expect(await server.result('skill_load', spelt)).toBe('loaded: demo')
    const invalid: [string, object, object][] = [
      ['skill_load', { skill: 'demo' }, { param: 'session' }],
      ['skill_load', { session: 's' }, { param: 'skill' }],
      ['skill_load', { skill: '', session: 's' }, { param: 'skill', reason: 'skill is required' }],
      [
        'skill_load',
        { skill: 'dmo', session: 's' },
        { param: 'skill', hint: 'Did you mean "demo"?' },
      ],
      ['skill_load', { skill: 'demo', session: ' ' }, { param: 'session' }],
      ['skill_load', { skill: 'demo', session: 's', docs: 'USAGE.md' }, { param: 'docs' }],
      ['skill_load', { skill: 'demo', session: 's', docs: ['x'] }, { param: 'docs' }],
      ['skill_load', { skill: '../demo', session: 's' }, { param: 'skill' }],
      ['skill_select_docs', { skill: 'demo', session: 's', mode: 'x' }, { param: 'mode' }],
      ['skill_list_docs', { skill: 'nope' }, { param: 'skill' }],
      ['skill_load', { skill: 'demo', session: 's', sessoin: 1 }, { param: 'sessoin' }],
    ]
    for (const [method, params, data] of invalid) {
      expect((await server.call(method, params)).error).toMatchObject({ code: -32602, data })
    }
  })

  it('return the content to callers that do not compose requests', async () => {
    const server = await startTestServer({ tree: TEST_SKILLS })
    const at = { skill: 'demo', session: 's', include_content: true }
    const loaded = 'loaded: demo\n\n[Loaded] demo\n# Demo\nDEMO BODY'
    expect(await server.result('skill_load', at)).toBe(loaded)
    const add = { ...at, docs: ['EXTRA.txt'], mode: 'add' }
    expect(await server.result('skill_select_docs', add)).toMatchObject({
      content: '[Doc] EXTRA.txt\nEXTRA TEXT\n',
    })
    expect(await server.result('skill_select_docs', add)).not.toHaveProperty('content')
  })

  it('separate callers that chose the same name, and allow loading with read scope', async () => {
    const [ann, bob] = ['a'.repeat(32), 'b'.repeat(32)]
    const tokens = parseTokens(`${ann} ann read\n${bob} bob read\n`, 'tokens.txt')
    const server = await startTestServer({ tree: TEST_SKILLS, tokens })
    const select = async (token: string, args: object) => {
      const params = { skill: 'demo', session: 's', mode: 'add', ...args }
      const call = { jsonrpc: '2.0', id: 1, method: 'skill_select_docs', params }
      const response = await server.post(call, { authorization: `Bearer ${token}` })
      return ((await response.json()) as { result: object }).result
    }
    expect(await select(ann, { docs: ['USAGE.md'] })).toMatchObject({ selected_docs: ['USAGE.md'] })
    expect(await select(bob, {})).not.toHaveProperty('selected_docs')
    expect(await select(ann, {})).toMatchObject({ selected_docs: ['USAGE.md'] })
  })

  it('keep loads across a server restart', async () => {
    const server = await startTestServer({ tree: TEST_SKILLS })
    await server.result('skill_load', { skill: 'demo', session: 's1' })
    await server.stop()
    const next = createRuntime({ config: server.runtime.config })
    const state = await (await next.sessions()).read(deriveSessionKey('s1', 'anonymous'))
    expect(listLoadedSkills(getAgentLoads(state, 'default'))).toEqual(['demo'])
  })
})

describe('remoteHost()', () => {
  it('gives an agent the skills of a remote runtime', async () => {
    const server = await startTestServer({ tree: TEST_SKILLS })
    const host = remoteHost(createClient({ url: server.url }))
    const session = createAgentSession({
      host,
      tools: ['skill_load', 'skill_list_docs', 'run_code'],
    })
    const load = await callTool(session, 'skill_load', { skill: 'demo', docs: ['EXTRA.txt'] }, 'c1')
    expect(load.text).toBe('loaded: demo')
    const composed = await session.compose({ length: 3, results: new Set(['c1']) })
    expect(composed.system).toContain('- demo: Shows how it is done.')
    expect(composed.results.get('c1')).toBe(
      '[Loaded] demo\n# Demo\nDEMO BODY\n\n[Doc] EXTRA.txt\nEXTRA TEXT\n',
    )
    expect((await callTool(session, 'skill_list_docs', { skill: 'demo' })).value).toHaveLength(3)
  })

  it('reports loads to the runtime before a command runs there', { timeout: 60_000 }, async () => {
    const server = await startTestServer({ tree: TEST_SKILLS })
    const host = remoteHost(createClient({ url: server.url }))
    const session = createAgentSession({ host, tools: SKILL_TOOLS })
    const run = async () =>
      await callTool(session, 'skill_run', { skill: 'demo', command: 'cat EXTRA.txt' })
    expect((await run()).text).toContain('requires skill_load first')
    await callTool(session, 'skill_load', { skill: 'demo' })
    await session.beginTurn()
    expect((await run()).value).toMatchObject({ stdout: 'EXTRA TEXT\n', exit_code: 0 })
  })

  it('sends the files of a conversation once', async () => {
    const server = await startTestServer({ tree: TEST_SKILLS })
    const sent: string[] = []
    const fetchLogged: typeof fetch = async (input, init) => {
      sent.push(JSON.stringify(init?.body))
      return await fetch(input, init)
    }
    const host = remoteHost(createClient({ url: server.url, fetch: fetchLogged }))
    const files = [{ name: 'a.txt', text: 'CONTENT' }]
    const session = createAgentSession({ host, tools: 'agent', files, id: 'c' })
    const { system } = await session.compose({ length: 1, results: new Set() })
    expect(system).toContain('- work/inputs/a.txt (text/plain, 7 bytes)')
    const later = createAgentSession({ host, tools: 'agent', files, id: 'c' })
    await later.compose({ length: 1, results: new Set() })
    expect(later.files).toEqual(session.files)
    const content = Buffer.from('CONTENT').toString('base64')
    expect(sent.filter((body) => body.includes(content))).toHaveLength(1)
  })

  it('reports the same errors as a local runtime', { timeout: 60_000 }, async () => {
    const tree = { ...TEST_SKILLS, 'skills/demo/HUGE.md': 'x'.repeat(300_000) }
    const server = await startTestServer({ tree })
    const { runtime, dir } = await createTestRuntime(tree)
    const call = { cwd: dir, env: { PATH: process.env['PATH'] } }
    const [there, here] = [
      remoteHost(createClient({ url: server.url })),
      localHost(runtime, { call }),
    ].map((host) => createAgentSession({ host, tools: SKILL_TOOLS })) as [
      AgentSession,
      AgentSession,
    ]
    const invalid: [string, object][] = [
      ['skill_load', { skill: 'dmo' }],
      ['skill_load', { skill: 'demo@9.9.9' }],
      ['skill_load', { skill: '../demo' }],
      ['skill_load', { skill: 'demo', docs: ['USAG.md'] }],
      ['skill_load', { skill: 'demo', docs: ['HUGE.md'] }],
      ['skill_load', { skill: 'demo', docs: ['HUGE.md:1'] }],
      ['skill_load', { skill: 'demo', docs: ['logo.png'] }],
      ['skill_list_docs', { skill: 'dmo' }],
      ['skill_run', { skill: 'demo', command: 'true' }],
      ['skill_run', { skill: 'demo', command: ' ' }],
      ['skill_poll_session', { session_id: 'none' }],
    ]
    for (const [name, args] of invalid) {
      const { text } = await callTool(here, name, args)
      expect(text).not.toContain('went wrong')
      expect((await callTool(there, name, args)).text).toBe(text)
    }
    await server.stop()
    const { text } = await callTool(there, 'skill_load', { skill: 'other' })
    expect(text).toMatch(/^Error: .*Continue without it, or try again$/)
  })

  it('rejects a filter, since the remote runtime would still serve the skills', async () => {
    const host = remoteHost(createClient({ url: 'http://127.0.0.1:9' }))
    expect(() => createAgentSession({ host, filter: () => true })).toThrow(
      'cannot be filtered locally',
    )
  })
})
