import { describe, expect, it } from 'vitest'
import { createAgentSession } from '../../src/agent/session.ts'
import { localHost } from '../../src/agent/local-host.ts'
import { writeTree } from '../helpers/skills.ts'
import { createTestRuntime, createTestSession, callTool } from '../helpers/agent.ts'
import type { AgentSession } from '../../src/agent/session.ts'

/** The whole text of a request of a conversation with these results. */
async function shown(session: AgentSession, results: readonly string[] = [], length = 1) {
  const composed = await session.compose({ length, results: new Set(results) })
  return [composed.system, ...composed.results.values()].join('\n---\n')
}

describe('skill_load in a session', () => {
  it('returns a short text and shows the body next to the call', async () => {
    const session = await createTestSession()
    const answer = await callTool(session, 'skill_load', { skill: 'demo' }, 'c1')
    expect(answer).toMatchObject({ id: 'c1', text: 'loaded: demo', isError: false })
    const composed = await session.compose({ length: 3, results: new Set(['c1']) })
    expect(composed.results.get('c1')).toBe('[Loaded] demo\n# Demo\nDEMO BODY')
    expect(composed.system).not.toContain('DEMO BODY')
  })

  it('shows the named documents only', async () => {
    const session = await createTestSession()
    await callTool(session, 'skill_load', { skill: 'demo', docs: ['USAGE.md'] }, 'c1')
    const text = await shown(session, ['c1'])
    expect(text).toContain('[Doc] USAGE.md\n# Usage\nUSAGE TEXT')
    expect(text).not.toContain('EXTRA TEXT')
  })

  it('prefers all documents over named ones', async () => {
    const session = await createTestSession()
    await callTool(session, 'skill_load', {
      skill: 'demo',
      docs: ['USAGE.md'],
      include_all_docs: true,
    })
    const text = await shown(session)
    for (const each of ['USAGE TEXT', 'EXTRA TEXT', 'DOC A TEXT']) expect(text).toContain(each)
  })

  it('keeps selected documents when reloaded without a selection', async () => {
    const session = await createTestSession()
    await callTool(session, 'skill_load', { skill: 'demo', docs: ['USAGE.md'] })
    await callTool(session, 'skill_load', { skill: 'demo' }, 'again')
    expect(await shown(session)).toContain('USAGE TEXT')
  })

  it('returns errors with a hint', async () => {
    const session = await createTestSession()
    const invalid: [unknown, string][] = [
      [{ skill: 'dmo' }, 'Error: unknown skill: dmo. Did you mean "demo"?'],
      [{ skill: '  ' }, "Error: Invalid params: 'skill': skill is required"],
      [{}, "Error: Invalid params: missing 'skill'"],
      ['{"skill":', 'Error: invalid args: '],
      ['[]', 'Error: invalid args: expected a JSON object'],
      [{ skill: 'demo', docs: ['USAG.md'] }, "has no document 'USAG.md'. Did you mean 'USAGE.md'?"],
      [{ skill: 'demo', docs: ['SKILL.md'] }, "'SKILL.md' is not a document"],
      [{ skill: 'demo', docs: ['../other/SKILL.md'] }, 'has no document'],
      [{ skill: 'demo', docs: ['logo.png'] }, "'logo.png' is not a text file"],
      [{ skill: 'demo', session: 'mine' }, "unknown parameter 'session'"],
      [{ skill: 'demo', Session: 'mine' }, "unknown parameter 'Session'"],
      [{ skill: 'demo', mode: 'once' }, "unknown parameter 'mode'"],
      [{ skill: 'demo', includeContent: true }, "unknown parameter 'includeContent'"],
      [{ skill: 'demo', dcos: [] }, "unknown parameter 'dcos'. Did you mean 'docs'?"],
    ]
    for (const [args, text] of invalid) {
      const answer = await session.call({ id: 'c', name: 'skill_load', arguments: args })
      expect(answer.text).toContain(text)
      expect(answer.isError).toBe(true)
    }
    expect(session.loaded).toEqual([])
  })

  it('accepts alternative spellings of parameters, and null as absent', async () => {
    const session = await createTestSession()
    const args = { Skill: 'demo', includeAllDocs: true, docs: null }
    expect((await callTool(session, 'skill_load', args)).text).toBe('loaded: demo')
    expect(await shown(session)).toContain('EXTRA TEXT')
  })

  it('loads sections of documents', async () => {
    const session = await createTestSession()
    await callTool(session, 'skill_load', {
      skill: 'demo',
      docs: ['USAGE.md#install', 'USAGE.md:1-2'],
    })
    const text = await shown(session)
    expect(text).toContain('[Doc] USAGE.md#install\n## Install\nINSTALL TEXT')
    expect(text).toContain('[Doc] USAGE.md:1-2\n# Usage\nUSAGE TEXT')
    expect(text).not.toContain('REMOVE TEXT')
  })

  it('keeps concurrent loads of a model, in call order', async () => {
    const session = await createTestSession()
    const names = ['third', 'demo', 'other']
    await Promise.all(names.map(async (skill) => await callTool(session, 'skill_load', { skill })))
    expect(session.loaded).toEqual(names)
  })
})

describe('concurrent changes', () => {
  it('are all kept, from any caller', async () => {
    const session = await createTestSession({ loadMode: 'session' })
    await session.load({ skill: 'third' })
    const same = session.forAgent(session.agent, { guidance: false })
    const child = session.forAgent('child')
    await Promise.all([
      session.load({ skill: 'demo' }),
      session.unload('third'),
      same.load({ skill: 'other' }),
      child.load({ skill: 'demo' }),
    ])
    expect(session.loaded).toEqual(['demo', 'other'])
    expect(same.loaded).toEqual(['demo', 'other'])
    expect(child.loaded).toEqual(['demo'])
  })
})

describe('skill_select_docs in a session', () => {
  it('adds, replaces and clears, in the order of the skill', async () => {
    const session = await createTestSession()
    await callTool(session, 'skill_load', { skill: 'demo' })
    const select = async (args: object) =>
      (await callTool(session, 'skill_select_docs', { skill: 'demo', ...args })).value
    expect(await select({ docs: ['docs/a.md'] })).toEqual({
      skill: 'demo',
      selected_docs: ['docs/a.md'],
      mode: 'replace',
    })
    expect(await select({ docs: ['EXTRA.txt'], mode: ' ADD ' })).toEqual({
      skill: 'demo',
      selected_docs: ['EXTRA.txt', 'docs/a.md'],
      mode: 'add',
    })
    expect(await select({ docs: ['USAGE.md'] })).toMatchObject({ selected_docs: ['USAGE.md'] })
    expect(await select({ mode: 'clear' })).toEqual({ skill: 'demo', mode: 'clear' })
    expect(await shown(session)).not.toContain('USAGE TEXT')
  })

  it('narrows a selection of all documents without clearing first', async () => {
    const session = await createTestSession()
    await callTool(session, 'skill_load', { skill: 'demo', include_all_docs: true })
    const { value } = await callTool(session, 'skill_select_docs', {
      skill: 'demo',
      docs: ['USAGE.md'],
    })
    expect(value).toEqual({ skill: 'demo', selected_docs: ['USAGE.md'], mode: 'replace' })
    const text = await shown(session)
    expect(text).toContain('USAGE TEXT')
    expect(text).not.toContain('EXTRA TEXT')
  })

  it('adds nothing to a selection of all documents', async () => {
    const session = await createTestSession()
    await callTool(session, 'skill_load', { skill: 'demo', include_all_docs: true })
    const args = { skill: 'demo', docs: ['USAGE.md'], mode: 'add' }
    const { value } = await callTool(session, 'skill_select_docs', args)
    expect(value).toEqual({ skill: 'demo', include_all_docs: true, mode: 'add' })
  })

  it('rejects an unknown mode', async () => {
    const session = await createTestSession()
    const { text } = await callTool(session, 'skill_select_docs', { skill: 'demo', mode: 'merge' })
    expect(text).toContain('\'mode\': expected add, replace, clear, got "merge"')
  })

  it('shows documents of a skill only after it is loaded', async () => {
    const session = await createTestSession()
    await callTool(session, 'skill_select_docs', { skill: 'demo', docs: ['USAGE.md'] })
    expect(await shown(session)).not.toContain('USAGE TEXT')
    await callTool(session, 'skill_load', { skill: 'demo' })
    expect(await shown(session)).toContain('USAGE TEXT')
  })
})

describe('skill_list_docs in a session', () => {
  it('lists documents sorted, without SKILL.md, programs and images', async () => {
    const session = await createTestSession()
    const { value } = await callTool(session, 'skill_list_docs', { skill: 'demo' })
    expect(value).toEqual(['EXTRA.txt', 'USAGE.md', 'docs/a.md'])
  })

  it('lists documents of every text type', async () => {
    const tree = {
      'skills/demo/SKILL.md': '---\nname: demo\ndescription: d\n---\n',
      'skills/demo/schema.json': '{}',
      'skills/demo/notes.yaml': 'a: 1',
      'skills/demo/page.html': '<p>',
      'skills/demo/references/query.sql': 'select 1',
      'skills/demo/.hidden/a.md': '',
    }
    const session = await createTestSession({ tree })
    const { value } = await callTool(session, 'skill_list_docs', { skill: 'demo' })
    expect(value).toEqual(['notes.yaml', 'page.html', 'references/query.sql', 'schema.json'])
  })
})

describe('load modes', () => {
  it('turn: removes loads when the next turn starts', async () => {
    const session = await createTestSession({ loadMode: 'turn' })
    await session.beginTurn()
    await callTool(session, 'skill_load', { skill: 'demo', docs: ['USAGE.md'] }, 'c1')
    expect(await shown(session, ['c1'], 3)).toContain('DEMO BODY')
    expect(await shown(session, ['c1'], 5)).toContain('DEMO BODY')
    await session.beginTurn()
    expect(await shown(session, ['c1'], 7)).not.toContain('DEMO BODY')
    await callTool(session, 'skill_load', { skill: 'demo' }, 'c2')
    expect(await shown(session, ['c1', 'c2'], 9)).not.toContain('USAGE TEXT')
  })

  it('session: keeps loads across turns', async () => {
    const session = await createTestSession({ loadMode: 'session' })
    await callTool(session, 'skill_load', { skill: 'demo' }, 'c1')
    await session.beginTurn()
    expect(await shown(session, ['c1'], 5)).toContain('DEMO BODY')
  })

  it('once: shows loads in one request, and again if that request is repeated', async () => {
    const session = await createTestSession({ loadMode: 'once' })
    await callTool(session, 'skill_load', { skill: 'demo' }, 'c1')
    expect(await shown(session, ['c1'], 3)).toContain('DEMO BODY')
    expect(await shown(session, ['c1'], 3)).toContain('DEMO BODY')
    expect(await shown(session, ['c1'], 5)).not.toContain('DEMO BODY')
    expect(session.loaded).toEqual([])
  })

  it('once: shows reloaded skills and newly selected documents', async () => {
    const session = await createTestSession({ loadMode: 'once' })
    await callTool(session, 'skill_load', { skill: 'demo' }, 'c1')
    await shown(session, ['c1'], 3)
    await callTool(session, 'skill_load', { skill: 'demo' }, 'c2')
    expect(await shown(session, ['c1', 'c2'], 5)).toContain('DEMO BODY')
    expect(await shown(session, ['c1', 'c2'], 7)).toBe(await shown(session, [], 7))
    await callTool(session, 'skill_select_docs', { skill: 'demo', docs: ['USAGE.md'] }, 'c3')
    const next = await shown(session, ['c1', 'c2', 'c3'], 9)
    expect(next).toContain('USAGE TEXT')
    expect(next).not.toContain('DEMO BODY')
    expect(await shown(session, ['c1', 'c2', 'c3'], 11)).not.toContain('USAGE TEXT')
  })

  it('a skill counts as read after its content is gone, so that its commands run', async () => {
    for (const loadMode of ['turn', 'once'] as const) {
      const session = await createTestSession({ loadMode })
      await callTool(session, 'skill_load', { skill: 'demo' }, 'c1')
      await shown(session, ['c1'], 3)
      await shown(session, ['c1'], 5)
      await session.beginTurn()
      expect(session.loaded).toEqual([])
      expect(session.state.agents[0]?.skills).toMatchObject([{ name: 'demo', read: true }])
    }
  })
})

describe('maxLoaded', () => {
  it('unloads the least recently used skill', async () => {
    const session = await createTestSession({ maxLoaded: 2 })
    await callTool(session, 'skill_load', { skill: 'demo' })
    await callTool(session, 'skill_load', { skill: 'other' })
    await callTool(session, 'skill_select_docs', { skill: 'demo', docs: ['USAGE.md'] })
    await callTool(session, 'skill_load', { skill: 'third' })
    expect(session.loaded).toEqual(['demo', 'third'])
    expect(await shown(session)).not.toContain('OTHER BODY')
  })

  it('counts loads of an earlier state without limit, and those of a turn', async () => {
    const before = await createTestSession({ loadMode: 'session' })
    for (const skill of ['demo', 'other', 'third']) await callTool(before, 'skill_load', { skill })
    const options = { loadMode: 'session', maxLoaded: 1, state: before.state } as const
    expect(await shown(await createTestSession(options))).not.toMatch(/DEMO BODY|OTHER BODY/)
    const next = await createTestSession(options)
    await next.beginTurn()
    expect(next.loaded).toEqual(['third'])
  })

  it('is unlimited by default', async () => {
    const session = await createTestSession({ maxLoaded: 0 })
    for (const skill of ['demo', 'other', 'third']) await callTool(session, 'skill_load', { skill })
    expect(session.loaded).toHaveLength(3)
  })
})

describe('agents of one session', () => {
  it('do not see loads of other agents', async () => {
    const session = await createTestSession({ agent: 'lead' })
    const child = session.forAgent('lead/child')
    await callTool(child, 'skill_load', { skill: 'demo' }, 'c1')
    expect(await shown(session, ['c1'])).not.toContain('DEMO BODY')
    expect(await shown(child, ['c1'])).toContain('DEMO BODY')
    expect(session.state).toEqual(child.state)
    await session.beginTurn()
    expect(child.loaded).toEqual(['demo'])
  })

  it('may have any name', async () => {
    const session = await createTestSession({ agent: '__proto__' })
    await callTool(session, 'skill_load', { skill: 'demo' })
    const restored = await createTestSession({
      agent: '__proto__',
      state: JSON.parse(JSON.stringify(session.state)),
    })
    expect(restored.loaded).toEqual(['demo'])
  })
})

describe('the state of a session', () => {
  it('is plain data: a session continues from its JSON', async () => {
    const { runtime } = await createTestRuntime()
    const make = (state?: unknown) =>
      createAgentSession({
        host: localHost(runtime),
        loadMode: 'session',
        ...(state === undefined ? {} : { state }),
      })
    const first = make()
    await callTool(first, 'skill_load', { skill: 'demo', docs: ['EXTRA.txt'] }, 'c1')
    await callTool(first, 'skill_load', { skill: 'other' }, 'c2')
    const json = JSON.stringify(first.state)
    const second = make(JSON.parse(json))
    expect(JSON.stringify(second.state)).toBe(json)
    expect(await shown(second, ['c1', 'c2'], 9)).toBe(await shown(first, ['c1', 'c2'], 9))
  })

  it('cannot be changed from outside', async () => {
    const session = await createTestSession()
    await callTool(session, 'skill_load', { skill: 'demo' })
    session.state.agents.length = 0
    expect(session.loaded).toEqual(['demo'])
  })

  it('contains no text of skills', async () => {
    const session = await createTestSession()
    await callTool(session, 'skill_load', { skill: 'demo', include_all_docs: true })
    expect(JSON.stringify(session.state)).not.toContain('TEXT')
  })
})

describe('the content of a request', () => {
  it('is unchanged while the skill is edited, until it is reloaded', async () => {
    const { runtime, dir } = await createTestRuntime()
    const session = createAgentSession({ host: localHost(runtime), loadMode: 'session' })
    await callTool(session, 'skill_load', { skill: 'demo' }, 'c1')
    writeTree(dir, { 'skills/demo/SKILL.md': '---\nname: demo\ndescription: d\n---\nNEW BODY\n' })
    expect(await shown(session, ['c1'])).toContain('DEMO BODY')
    await callTool(session, 'skill_load', { skill: 'demo' }, 'c2')
    const composed = await session.compose({ length: 5, results: new Set(['c1', 'c2']) })
    expect(composed.results.get('c2')).toContain('NEW BODY')
    expect(composed.results.has('c1')).toBe(false)
  })

  it('keeps a body whose tool result is gone, with or without a summary', async () => {
    const session = await createTestSession({ loadMode: 'session' })
    await callTool(session, 'skill_load', { skill: 'demo', docs: ['USAGE.md'] }, 'c1')
    await callTool(session, 'skill_load', { skill: 'other' }, 'c2')
    const composed = await session.compose({ length: 2, results: new Set(['c2']) })
    expect(composed.system).toContain('Loaded skill context:\n\n[Loaded] demo')
    expect(composed.system).toContain('USAGE TEXT')
    expect(composed.results.get('c2')).toContain('OTHER BODY')
  })

  it('reports a loaded skill that is no longer readable', async () => {
    const { runtime } = await createTestRuntime()
    const first = createAgentSession({ host: localHost(runtime), loadMode: 'session' })
    await callTool(first, 'skill_load', { skill: 'demo' })
    const elsewhere = await createTestSession({
      state: first.state,
      loadMode: 'session',
      tree: { 'skills/other/SKILL.md': '---\nname: other\ndescription: d\n---\n' },
    })
    expect(await shown(elsewhere)).toContain(
      'This text is not available any more: unknown skill: demo',
    )
  })

  it('is in the system message with that placement', async () => {
    const session = await createTestSession({ placement: 'system' })
    await callTool(session, 'skill_load', { skill: 'demo' }, 'c1')
    const composed = await session.compose({ length: 3, results: new Set(['c1']) })
    expect(composed.results.size).toBe(0)
    expect(composed.system).toContain('DEMO BODY')
  })

  it('rejects a body that is too large', async () => {
    const tree = {
      'skills/big/SKILL.md': `---\nname: big\ndescription: d\n---\n${'x'.repeat(300_000)}`,
      'skills/docs/SKILL.md': '---\nname: docs\ndescription: d\n---\n',
      ...Object.fromEntries(
        Array.from({ length: 5 }, (_, i) => [`skills/docs/${i}.md`, 'y'.repeat(250_000)]),
      ),
    }
    const session = await createTestSession({ tree })
    const body = await callTool(session, 'skill_load', { skill: 'big' })
    expect(body.text).toContain("'SKILL.md' has 293.0 KiB, and a request takes at most 256 KiB")
    const docs = await callTool(session, 'skill_load', { skill: 'docs', include_all_docs: true })
    expect(docs.text).toContain('together')
  })
})

describe('limits', () => {
  it('apply to documents, their names, and agents', async () => {
    const many = Array.from({ length: 201 }, (_, index) => `${index}.md`)
    const tree = {
      'skills/many/SKILL.md': '---\nname: many\ndescription: d\n---\n',
      ...Object.fromEntries(many.map((name) => [`skills/many/${name}`, 'x'])),
    }
    const session = await createTestSession({ tree })
    const all = await callTool(session, 'skill_load', { skill: 'many', include_all_docs: true })
    expect(all.text).toContain('expected at most 200 documents, got 201')
    const fewer = await callTool(session, 'skill_load', { skill: 'many', docs: many.slice(1) })
    expect(fewer.text).toBe('loaded: many')
    const hostile = `${'#'.repeat(1_000_000)}\n`
    const { text } = await callTool(session, 'skill_load', { skill: 'many', docs: [hostile] }, 'c')
    expect(text.length).toBeLessThan(2000)
    for (let index = 0; index < 1001; index++) await session.forAgent(`a${index}`).beginTurn()
    expect(session.state.agents).toHaveLength(1000)
  })
})

describe('skills that the application loads', () => {
  it('are loaded when a turn starts, all or none', async () => {
    const session = await createTestSession()
    await session.beginTurn({ loads: [{ name: 'demo', docs: ['USAGE.md'] }, { name: 'other' }] })
    expect(session.loaded).toEqual(['demo', 'other'])
    expect(await shown(session)).toContain('USAGE TEXT')
    const loads = [{ name: 'third' }, { name: 'missing' }]
    await expect(session.beginTurn({ loads })).rejects.toThrow('Cannot load "missing"')
    expect(session.loaded).toEqual(['demo', 'other'])
  })

  it('are rejected if contradictory', async () => {
    const invalid: [object[], string][] = [
      [[{ name: ' ' }], 'a load has no name'],
      [[{ name: 'demo', docs: [' '] }], '"demo" names a blank document'],
      [[{ name: 'demo', docs: ['USAGE.md', 'USAGE.md'] }], '"demo" names a document twice'],
      [[{ name: 'demo', docs: ['SKILL.md'] }], 'Cannot load "demo"'],
      [[{ name: 'demo', docs: ['no.md'] }], 'Cannot load "demo"'],
      [[{ name: 'demo', docs: [], includeAllDocs: true }], 'names documents and also selects all'],
      [[{ name: 'demo' }, { name: 'demo', docs: ['USAGE.md'] }], '"demo" is declared twice'],
      [[{ name: 'demo' }, { name: 'other' }, { name: 'third' }], '3 skills are declared'],
    ]
    for (const [loads, sentence] of invalid) {
      const session = await createTestSession({ maxLoaded: 2 })
      await expect(session.beginTurn({ loads: loads as never })).rejects.toThrow(sentence)
    }
  })

  it('may be declared twice with the same content', async () => {
    const session = await createTestSession({ maxLoaded: 1 })
    const loads = [
      { name: 'demo', docs: ['USAGE.md', 'EXTRA.txt'] },
      { name: 'demo', docs: ['EXTRA.txt', 'USAGE.md'] },
    ]
    await session.beginTurn({ loads })
    expect(session.loaded).toEqual(['demo'])
  })

  it('include exactly the declared documents, or none', async () => {
    const session = await createTestSession({ loadMode: 'session' })
    await callTool(session, 'skill_load', { skill: 'demo', docs: ['USAGE.md'] })
    await session.beginTurn({ loads: [{ name: 'demo', docs: [] }] })
    expect(await shown(session)).not.toContain('USAGE TEXT')
  })

  it('keep the documents that a session selected', async () => {
    const session = await createTestSession({ loadMode: 'session' })
    await callTool(session, 'skill_load', { skill: 'demo', docs: ['USAGE.md'] })
    await session.beginTurn({ loads: [{ name: 'demo' }] })
    expect(await shown(session)).toContain('USAGE TEXT')
  })
})
