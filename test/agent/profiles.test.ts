import { describe, expect, it } from 'vitest'
import { PROFILES, resolveTools, type ToolChoice } from '../../src/agent/profiles.ts'
import { createTestSession, SKILL_TOOLS } from '../helpers/agent.ts'

const names = (choice: ToolChoice) => resolveTools(choice).map((method) => method.name)

describe('resolveTools()', () => {
  it('returns exactly the eight tools of the Skills Protocol, in their order', () => {
    expect(names('protocol')).toEqual([
      'list_skills',
      'describe_skill',
      'read_skill_file',
      'execute_skill',
      'run_code',
      'create_blob',
      'read_blob',
      'load_skills_protocol_guide',
    ])
  })

  it('returns the read-only tools', () => {
    expect(names('knowledge')).toEqual(['skill_load', 'skill_select_docs', 'skill_list_docs'])
  })

  it('accepts the former names of profiles', () => {
    expect(names('full')).toEqual(PROFILES.agent)
    expect(names('workspace')).toEqual(PROFILES.agent)
    expect(names('knowledge_only')).toEqual(PROFILES.knowledge)
  })

  it('hides parameters whose tool is not offered', async () => {
    const list = async (tools: ToolChoice) =>
      (await (await createTestSession({ tools })).tools()).find(({ name }) => name === 'run_code')
        ?.parameters['properties']
    expect(await list('protocol')).not.toHaveProperty('kernel')
    expect(await list('protocol')).not.toHaveProperty('detach')
    expect(await list('agent')).toHaveProperty('kernel')
    expect(await list(['run_code', 'runs'])).toHaveProperty('detach')
  })

  it('returns the tools of trpc-agent-go by their names', () => {
    expect(names(SKILL_TOOLS)).toEqual(SKILL_TOOLS)
  })

  it('returns every tool of every profile', () => {
    for (const [name, tools] of Object.entries(PROFILES)) {
      expect(names(name as never)).toEqual(tools)
    }
  })

  it('rejects tools without those that they require', () => {
    const invalid: [string[], string][] = [
      [['skill_load', 'skill_exec'], 'skill_exec requires skill_run'],
      [['skill_load', 'skill_run', 'skill_write_stdin'], 'skill_write_stdin requires skill_exec'],
      [['skill_poll_session'], 'skill_poll_session requires skill_exec'],
      [['skill_kill_session'], 'skill_kill_session requires skill_exec'],
      [['write_stdin'], 'write_stdin requires workspace_exec'],
      [['kill'], 'kill requires workspace_exec'],
      [['skill_run'], 'skill_run requires skill_load'],
      [['skill_run', 'skill_exec'], 'skill_run requires skill_load'],
    ]
    for (const [tools, sentence] of invalid) expect(() => names(tools)).toThrow(sentence)
    expect(resolveTools(['skill_run'], { requireLoaded: false })).toHaveLength(1)
  })

  it('ignores the case of profile names', () => {
    expect(names(' Knowledge-Only ' as never)).toEqual(names('knowledge'))
    expect(names(' AGENT ' as never)).toEqual(names('agent'))
  })

  it('rejects an unknown profile with a suggestion', () => {
    expect(() => names('protocl' as never)).toThrow('Unknown tool profile "protocl"')
  })

  it('returns exactly the tools of a list, and none for an empty one', () => {
    expect(names([' Skill_Load', 'read_blob', 'skill_load'])).toEqual(['skill_load', 'read_blob'])
    expect(names([])).toEqual([])
    expect(names(['sdl.runtime.execute', 'runtime.execute'])).toEqual(['runtime.execute'])
  })

  it('rejects an unknown tool', () => {
    expect(() => names(['skill_lod'])).toThrow('Unknown skill tool "skill_lod"')
    expect(() => names([''])).toThrow('Unknown skill tool ""')
  })
})

const stateWith = (more: object) => ({
  version: 1,
  agents: [{ agent: 'a', skills: [], parts: [], fresh: [], ...more }],
})

describe('createAgentSession()', () => {
  it('reports a former name of the tools as a problem', async () => {
    const renamed = await createTestSession({ tools: 'knowledge_only' })
    expect(await renamed.problems()).toEqual([
      {
        kind: 'tools',
        message:
          'The profile "knowledge_only" is now "knowledge"; "knowledge_only" ends with 0.2.0',
      },
    ])
    expect(await (await createTestSession({ tools: 'agent' })).problems()).toEqual([])
  })

  it('rejects invalid options on creation', async () => {
    const invalid: [object, string][] = [
      [{ tools: 'everything' }, 'Unknown tool profile "everything"'],
      [{ loadMode: 'twice' }, 'loadMode is "twice", expected turn, once, session'],
      [{ placement: 'user' }, 'placement is "user", expected tool-results, system'],
      [{ agent: '' }, 'agent has 0 characters, expected 1 to 256'],
      [{ agent: 'x'.repeat(257) }, 'agent has 257 characters'],
      [{ id: ' ' }, 'id has 1 characters, expected 1 to 256 with a non-blank one'],
      [
        { descriptions: { skill_lod: 'x' } },
        'descriptions contains "skill_lod", which is not a tool of this session',
      ],
      [{ maxLoaded: -1 }, 'maxLoaded is -1, expected a whole number'],
      [{ maxLoaded: 1.5 }, 'maxLoaded is 1.5'],
      [{ overview: { max: Number.NaN } }, 'overview.max is NaN'],
      [{ activations: [{ skill: 'demo', tools: [] }] }, 'the rule of "demo" has no tool name'],
      [{ activations: [{ skill: ' ', tools: ['a'] }] }, 'a rule has no skill name'],
      [{ state: { version: 2 } }, 'expected version 1, got 2'],
      [{ state: stateWith({ mode: 'twice' }) }, '"mode" is not one of turn, once, session'],
      [{ state: stateWith({ maxLoaded: -1 }) }, '"maxLoaded" is not a whole number'],
      [{ state: stateWith({ turn: 2 }) }, '"turn" is not a string'],
      [{ state: stateWith({ ended: 'x' }) }, '"ended" is not a list'],
      [{ state: 'nonsense' }, '"state" is not an object'],
      [{ state: null }, '"state" is not an object'],
    ]
    for (const [options, sentence] of invalid) {
      await expect(createTestSession(options as never)).rejects.toThrow(sentence)
    }
  })
})
