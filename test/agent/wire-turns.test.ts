import { describe, expect, it } from 'vitest'
import { startTestServer } from '../helpers/server.ts'
import { TEST_SKILLS, createTestRuntime } from '../helpers/agent.ts'
import { writeTree } from '../helpers/skills.ts'

/** Calls in one session of a server. */
async function conversation() {
  const server = await startTestServer({ tree: TEST_SKILLS })
  const sessionParams = { session: 's', load_mode: undefined as string | undefined }
  const call = async (method: string, params: object = {}) =>
    await server.call(method, { ...sessionParams, ...params })
  const result = async (method: string, params: object = {}) =>
    (await server.result(method, { ...sessionParams, ...params })) as {
      system: string
      results: Record<string, string>
      loaded: object[]
    }
  const context = async (params: object = {}) => await result('skill_context', params)
  const shows = async (params: object = {}) => (await context(params)).system
  return { call, result, context, shows }
}

describe('turns over JSON-RPC', () => {
  it('end the loads of the previous turn', async () => {
    const { result, shows, context } = await conversation()
    await result('skill_load', { skill: 'demo', docs: ['USAGE.md'], turn: '1' })
    expect(await shows({ turn: '1' })).toContain('USAGE TEXT')
    expect(await shows()).toContain('DEMO BODY')
    expect(await context({ turn: '2' })).toMatchObject({ system: '', loaded: [], turn: '2' })
    await result('skill_load', { skill: 'demo', turn: '2' })
    expect(await shows({ turn: '2' })).toContain('DEMO BODY')
    expect(await shows({ turn: '2' })).not.toContain('USAGE TEXT')
  })

  it('start with the first call that names them', async () => {
    const { result, context } = await conversation()
    await result('skill_load', { skill: 'demo', turn: '1' })
    await result('skill_load', { skill: 'other', turn: '2' })
    expect((await context()).loaded).toEqual([{ skill: 'other' }])
    await result('skill_select_docs', { skill: 'demo', docs: ['USAGE.md'], turn: '3' })
    expect((await context()).loaded).toEqual([])
  })

  it('accept alternative spellings of their parameters', async () => {
    const { result, context } = await conversation()
    await result('skill_load', { skill: 'demo', mode: 'session', maxLoaded: 2, Turn: '1' })
    expect(await context({ turn: '2' })).toMatchObject({
      load_mode: 'session',
      max_loaded: 2,
      loaded: [{ skill: 'demo' }],
    })
    expect(await context({ mode: 'once', toolResults: [] })).toMatchObject({ load_mode: 'once' })
  })

  it('keep loads of the session', async () => {
    const { result, shows, context } = await conversation()
    await result('skill_load', { skill: 'demo', turn: '1', load_mode: 'session' })
    // The setting of an earlier call persists.
    expect(await shows({ turn: '2' })).toContain('DEMO BODY')
    expect(await context({ turn: '3', load_mode: 'turn' })).toMatchObject({
      load_mode: 'turn',
      loaded: [],
    })
  })

  it('do not resume: a late call is rejected and changes nothing', async () => {
    const { result, call, context } = await conversation()
    await result('skill_load', { skill: 'demo', turn: 'a' })
    await result('skill_load', { skill: 'other', turn: 'b' })
    const { error } = await call('skill_load', { skill: 'third', turn: 'a' })
    expect(error).toMatchObject({
      code: -32602,
      data: { param: 'turn', reason: '"a" has ended, the current turn is "b"' },
    })
    expect((await context()).loaded).toEqual([{ skill: 'other' }])
  })

  it('do not start with a call that fails', async () => {
    const { result, call, context } = await conversation()
    await result('skill_load', { skill: 'demo', turn: '1' })
    expect(await call('skill_load', { skill: 'dmo', turn: '2' })).toHaveProperty('error')
    expect(await context()).toMatchObject({ turn: '1', loaded: [{ skill: 'demo' }] })
  })

  it('belong to one agent', async () => {
    const { result, context } = await conversation()
    await result('skill_load', { skill: 'demo', agent: 'child', turn: '1' })
    await result('skill_load', { skill: 'other', turn: '2' })
    expect((await context({ agent: 'child' })).loaded).toEqual([{ skill: 'demo' }])
  })

  it('can start with skills of the caller, once and all or none', async () => {
    const { result, call, context } = await conversation()
    const loads = [{ skill: 'demo', docs: ['EXTRA.txt'] }, { skill: 'other' }]
    const first = await context({ turn: '1', loads })
    expect(first.system).toContain('EXTRA TEXT')
    expect(first.loaded).toEqual([
      { skill: 'demo', selected_docs: ['EXTRA.txt'] },
      { skill: 'other' },
    ])
    await result('skill_select_docs', { skill: 'demo', mode: 'clear' })
    expect((await context({ turn: '1', loads })).system).not.toContain('EXTRA TEXT')
    expect((await context({ turn: '2', loads })).system).toContain('EXTRA TEXT')
    const invalid: object[] = [
      { loads },
      { turn: '3', loads: [{ skill: 'demo' }, { skill: 'nope' }] },
      { turn: '3', loads: [{ skill: 'demo', docs: ['no.md'] }] },
      { turn: '3', loads: [{ skill: ' ' }] },
      { turn: '3', max_loaded: 1, loads },
    ]
    for (const params of invalid) {
      const { error } = await call('skill_context', params)
      expect(error).toMatchObject({ code: -32602, data: { param: 'loads' } })
    }
    expect(await context()).toMatchObject({ turn: '2' })
  })
})

describe('loads with mode "once" over JSON-RPC', () => {
  it('are in one request and its repetition, and in no other', async () => {
    const { result, shows } = await conversation()
    await result('skill_load', { skill: 'demo', load_mode: 'once' })
    expect(await shows({ messages: 3, peek: true })).toContain('DEMO BODY')
    expect(await shows({ messages: 3 })).toContain('DEMO BODY')
    expect(await shows({ messages: 3 })).toContain('DEMO BODY')
    expect(await shows({ messages: 5 })).toBe('')
  })

  it('end with the next call of a caller that does not count messages', async () => {
    const { result, shows, context } = await conversation()
    await result('skill_load', { skill: 'demo', load_mode: 'once' })
    expect(await shows()).toContain('DEMO BODY')
    await result('skill_load', { skill: 'other' })
    const later = await shows()
    expect(later).toContain('OTHER BODY')
    expect(later).not.toContain('DEMO BODY')
    expect(await context()).toMatchObject({ system: '', loaded: [] })
  })
})

describe('skill_context', () => {
  it('places content next to its call, or in the system message if the call is gone', async () => {
    const { result, context } = await conversation()
    await result('skill_load', { skill: 'demo', call: 'c1' })
    await result('skill_select_docs', { skill: 'demo', docs: ['USAGE.md'], call: 'c2' })
    const both = await context({ tool_results: ['c1', 'c2', 'c9'] })
    expect(Object.keys(both.results)).toEqual(['c1', 'c2'])
    expect(both.results['c1']).toBe('[Loaded] demo\n# Demo\nDEMO BODY')
    expect(both.results['c2']).toContain('USAGE TEXT')
    expect(both.system).toBe('')
    const cut = await context({ tool_results: ['c2'] })
    expect(cut.system).toBe('Loaded skill context:\n\n[Loaded] demo\n# Demo\nDEMO BODY')
    const system = await context({ tool_results: ['c1', 'c2'], placement: 'system' })
    expect(system).toMatchObject({ results: {} })
    expect(system.system).toContain('USAGE TEXT')
  })

  it('keeps at most the number of skills given last', async () => {
    const { result, context } = await conversation()
    for (const skill of ['demo', 'other', 'third']) await result('skill_load', { skill })
    expect((await context({ max_loaded: 2 })).loaded).toEqual([
      { skill: 'other' },
      { skill: 'third' },
    ])
    await result('skill_load', { skill: 'demo' })
    expect(await context()).toMatchObject({
      loaded: [{ skill: 'third' }, { skill: 'demo' }],
      max_loaded: 2,
    })
    await result('skill_load', { skill: 'other', max_loaded: 0 })
    expect((await context()).loaded).toHaveLength(3)
  })

  it('starts with the list and the rules of a profile', async () => {
    const { shows } = await conversation()
    const composed = await shows({ profile: 'knowledge', max_overview: 1 })
    expect(composed).toMatch(/^Available skills \(showing 1 of 3/)
    expect(composed).toContain('call skill_load first')
    expect(composed).not.toContain('skill_run')
    expect(await shows({ profile: 'full', guidance: 'Mine.' })).toMatch(/\n\nMine\.$/)
    expect(await shows({ profile: 'agent', guidance: '' })).not.toContain('guidance')
    expect(await shows()).toBe('')
  })

  it('has a notice for a former name of a profile', async () => {
    const { context } = await conversation()
    expect(await context({ profile: 'full' })).toMatchObject({
      notices: ['The profile "full" is now "agent"; "full" ends with 0.2.0'],
    })
    expect(await context({ profile: 'agent' })).not.toHaveProperty('notices')
  })

  it('is unchanged while the skill is edited, until it is reloaded', async () => {
    const { runtime, dir } = await createTestRuntime()
    const at = { session: 's', skill: 'demo' }
    await runtime.skillLoad({ ...at, docs: ['USAGE.md'] })
    const shows = async () => (await runtime.skillContext({ session: 's' })).system
    const before = await shows()
    writeTree(dir, {
      'skills/demo/SKILL.md': '---\nname: demo\ndescription: d\n---\nNEW BODY\n',
      'skills/demo/USAGE.md': 'NEW USAGE\n',
    })
    expect(await shows()).toBe(before)
    await runtime.skillLoad(at)
    expect(await shows()).toContain('NEW BODY\n\n[Doc] USAGE.md\nNEW USAGE')
    expect(await shows()).not.toContain('DEMO BODY')
  })

  it('survives a restart, separately per caller', async () => {
    const server = await startTestServer({ tree: TEST_SKILLS })
    const at = { session: 's', turn: '1', load_mode: 'session' }
    await server.result('skill_load', { ...at, skill: 'demo', call: 'c1' })
    const request = { session: 's', tool_results: ['c1'] }
    const before = await server.result('skill_context', request)
    await server.stop()
    const { createRuntime } = await import('../../src/core/runtime.ts')
    const next = createRuntime({ config: server.runtime.config })
    expect(await next.skillContext(request, { caller: { name: 'anonymous' } })).toEqual(before)
    expect(await next.skillContext(request)).toMatchObject({ loaded: [], system: '' })
  })

  it('rejects invalid parameters by name', async () => {
    const { call } = await conversation()
    const invalid: [object, string][] = [
      [{ load_mode: 'twice' }, 'load_mode'],
      [{ max_loaded: -1 }, 'max_loaded'],
      [{ turn: '' }, 'turn'],
      [{ turn: 2 }, 'turn'],
      [{ placement: 'user' }, 'placement'],
      [{ profile: 'all' }, 'profile'],
      [{ max_overview: 3 }, 'max_overview'],
      [{ tool_results: 'c1' }, 'tool_results'],
      [{ skill: 'demo' }, 'skill'],
    ]
    for (const [params, param] of invalid) {
      const { error } = await call('skill_context', params)
      expect(error).toMatchObject({ code: -32602, data: { param } })
    }
  })
})
