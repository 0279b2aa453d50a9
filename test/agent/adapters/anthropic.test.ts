import type Anthropic from '@anthropic-ai/sdk'
import { describe, expect, it } from 'vitest'
import { anthropicSkills } from '../../../src/agent/adapters/anthropic.ts'
import { createTestSession } from '../../helpers/agent.ts'

const toolUse = (
  id: string,
  name: string,
  input: object,
): Anthropic.Messages.ToolUseBlockParam => ({
  type: 'tool_use',
  id,
  name,
  input,
})

describe('anthropicSkills()', () => {
  it('runs a conversation in the types of the SDK', async () => {
    const skills = anthropicSkills(await createTestSession())
    const messages: Anthropic.Messages.MessageParam[] = [{ role: 'user', content: 'Do it.' }]
    const first: Anthropic.Messages.MessageCreateParams = {
      model: 'claude',
      max_tokens: 100,
      ...(await skills.request({ system: 'You help.', messages })),
    }
    expect(first.system).toMatch(/^You help\.\n\nAvailable skills:\n- demo: Shows/)
    expect(first.messages).toEqual(messages)

    const toolUses = [toolUse('t1', 'skill_load', { skill: 'demo' }), toolUse('t2', 'mine', {})]
    messages.push({ role: 'assistant', content: toolUses })
    const answer = await skills.answer({ content: toolUses }, { own: async () => 'my answer' })
    if (answer) messages.push(answer)
    expect(messages.at(-1)).toEqual({
      role: 'user',
      content: [
        { type: 'tool_result', tool_use_id: 't1', content: 'loaded: demo' },
        { type: 'tool_result', tool_use_id: 't2', content: 'my answer' },
      ],
    })
    const before = JSON.stringify(messages)
    const second = await skills.request({ messages })
    expect(JSON.stringify(second.messages[2])).toContain('DEMO BODY')
    expect(JSON.stringify(messages)).toBe(before)
  })

  it('keeps blocks of the system message and of results, and appends one', async () => {
    const skills = anthropicSkills(await createTestSession())
    const toolUses = [toolUse('t1', 'skill_load', { skill: 'other' })]
    await skills.answer({ content: toolUses })
    const { system, messages } = await skills.request({
      system: [{ type: 'text', text: 'A', cache_control: { type: 'ephemeral' } }],
      messages: [
        { role: 'assistant', content: toolUses },
        {
          role: 'user',
          content: [
            { type: 'tool_result', tool_use_id: 't1', content: [{ type: 'text', text: 'X' }] },
          ],
        },
      ],
    })
    expect(system).toMatchObject([
      { text: 'A', cache_control: { type: 'ephemeral' } },
      { type: 'text' },
    ])
    expect(messages[1]).toEqual({
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: 't1',
          content: [
            { type: 'text', text: 'X' },
            { type: 'text', text: '[Loaded] other\nOTHER BODY' },
          ],
        },
      ],
    })
  })

  it('offers tied tools of the application and keeps their names', async () => {
    const session = await createTestSession({ activations: [{ skill: 'demo', tools: ['deploy'] }] })
    const skills = anthropicSkills(session)
    const schema = { type: 'object' as const }
    const tools = ['deploy', 'search', 'skill_load'].map((name) => ({ name, input_schema: schema }))
    const offered = async () =>
      (await skills.request({ messages: [], tools })).tools?.map((each) => each.name)
    const own = ['skill_load', 'skill_select_docs', 'skill_list_docs']
    expect(await offered()).toEqual(['search', ...own])
    await skills.answer({ content: [toolUse('t', 'skill_load', { skill: 'demo' })] })
    expect(await offered()).toEqual(['deploy', 'search', ...own])
  })

  it('marks errors and ignores calls of other tools', async () => {
    const skills = anthropicSkills(await createTestSession())
    const answer = await skills.answer({
      content: [toolUse('a', 'skill_load', { skill: 'x' }), toolUse('b', 'mine', {})],
    })
    expect(answer?.content).toMatchObject([{ tool_use_id: 'a', is_error: true }])
    expect(await skills.answer({ content: 'Only text.' })).toBeUndefined()
  })

  it('resolves a tool whose name was encoded', async () => {
    const skills = anthropicSkills(await createTestSession({ tools: ['runtime.languages'] }))
    expect((await skills.tools()).map((tool) => tool.name)).toEqual(['runtime__languages'])
    const answer = await skills.answer({ content: [toolUse('t', 'runtime__languages', {})] })
    expect(answer?.content).toMatchObject([{ tool_use_id: 't' }])
    expect(answer?.content[0]?.content).toContain('python')
    expect(answer?.content[0]).not.toHaveProperty('is_error')
  })

  it('names tools in the format of the API, with object schemas', async () => {
    const tools: Anthropic.Tool[] = await anthropicSkills(
      await createTestSession({ tools: 'protocol' }),
    ).tools()
    expect(tools).toHaveLength(8)
    for (const tool of tools) {
      expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      expect(tool.input_schema.type).toBe('object')
    }
  })
})
