import { describe, expect, it } from 'vitest'
import type { AgentSession } from '../../src/agent/session.ts'
import { defineTool } from '../../src/core/tool-formats/tool-definition.ts'
import { METHODS } from '../../src/core/methods/index.ts'
import { createTestSession, callTool } from '../helpers/agent.ts'

/** The system text of the next request. */
async function shown(session: AgentSession): Promise<string> {
  return (await session.compose({ length: 1, results: new Set() })).system
}

describe('hidden skills', () => {
  it('are in no list and reachable by no tool', async () => {
    const session = await createTestSession({
      tools: ['skill_load', 'skill_list_docs', 'list_skills', 'describe_skill', 'read_skill_file'],
      filter: ({ name }) => name !== 'demo',
    })
    expect(await shown(session)).not.toContain('demo')
    const tries: [string, object][] = [
      ['skill_load', { skill: 'demo' }],
      ['skill_list_docs', { skill: 'demo' }],
      ['describe_skill', { name: 'demo' }],
      ['read_skill_file', { name: 'demo', path: 'SKILL.md' }],
    ]
    for (const [name, args] of tries) {
      const answer = await callTool(session, name, args)
      expect(answer.isError).toBe(true)
      expect(answer.text).not.toContain('BODY')
    }
    expect((await callTool(session, 'list_skills', {})).text).not.toContain('"demo"')
    expect((await callTool(session, 'skill_load', { skill: 'other' })).text).toBe('loaded: other')
    await expect(session.beginTurn({ loads: [{ name: 'demo' }] })).rejects.toThrow(
      'Cannot load "demo": the skill or a named document is not available',
    )
  })

  it('are absent from enums in tool schemas', async () => {
    const skillOf = async (session: AgentSession) => {
      const [load] = await session.tools()
      const properties = load?.parameters['properties'] as
        | { skill: { enum?: string[] } }
        | undefined
      return properties?.skill.enum
    }
    expect(await skillOf(await createTestSession())).toEqual(['demo', 'other', 'third'])
    expect(await skillOf(await createTestSession({ filter: () => true }))).toBeUndefined()
  })
})

describe('tool descriptions', () => {
  it('can be replaced by the application, even with empty text', async () => {
    const descriptions = { skill_load: 'Load it.', skill_list_docs: '' }
    const tools = await (await createTestSession({ descriptions })).tools()
    const toolDescriptions = Object.fromEntries(
      tools.map(({ name, description }) => [name, description]),
    )
    expect(toolDescriptions).toMatchObject(descriptions)
    expect(toolDescriptions['skill_select_docs']).toContain('Choose the documents')
  })

  it('list the available skills, sorted, unless there are too many', () => {
    const method = METHODS.find(({ name }) => name === 'skill_load') as never
    const namesIn = (skills: readonly string[]) => {
      const { properties } = defineTool(method, { skills }).parameters as never as {
        properties: { skill: { enum?: string[] } }
      }
      return properties.skill.enum
    }
    expect(namesIn([' b', 'a', '', '  ', 'a'])).toEqual(['a', 'b'])
    expect(namesIn(Array.from({ length: 256 }, (_, index) => `s${index}`))).toHaveLength(256)
    expect(namesIn(Array.from({ length: 257 }, (_, index) => `s${index}`))).toBeUndefined()
    expect(namesIn(['', ' '])).toBeUndefined()
  })
})

describe('tools that appear with skills', () => {
  const own = ['search', 'deploy', 'review']

  it('are offered after their skill was loaded, until the turn ends', async () => {
    const session = await createTestSession({ activations: [{ skill: 'demo', tools: ['deploy'] }] })
    expect(session.activeTools(own)).toEqual(['search', 'review'])
    await callTool(session, 'skill_load', { skill: 'demo' })
    expect(session.activeTools(own)).toEqual(own)
    await session.beginTurn()
    expect(session.activeTools(own)).toEqual(['search', 'review'])
  })

  it('are offered for every requested version', async () => {
    const session = await createTestSession({
      activations: [
        { skill: 'demo', tools: ['deploy'] },
        { skill: 'demo', tools: ['review'], lifetime: 'session' },
      ],
    })
    await callTool(session, 'skill_load', { skill: 'demo@0.0.0' })
    expect(session.activeTools(own)).toEqual(own)
  })

  it('stay for the session, or replace all others', async () => {
    const session = await createTestSession({
      activations: [
        { skill: 'demo', tools: ['deploy'], lifetime: 'session' },
        { skill: 'other', tools: ['review'], mode: 'only' },
      ],
    })
    await callTool(session, 'skill_load', { skill: 'demo' })
    await session.beginTurn()
    expect(session.activeTools(own)).toEqual(['search', 'deploy'])
    await callTool(session, 'skill_load', { skill: 'other' })
    expect(session.activeTools(own)).toEqual(['review'])
  })
})
