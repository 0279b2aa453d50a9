import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { openAiChatSkills } from '../../../src/agent/adapters/openai-chat.ts'
import { openAiSkills } from '../../../src/agent/adapters/openai-responses.ts'
import { createTestSession } from '../../helpers/agent.ts'

type ChatMessage = OpenAI.Chat.ChatCompletionMessageParam
type InputItem = OpenAI.Responses.ResponseInputItem

describe('openAiChatSkills()', () => {
  it('runs a conversation in the types of the SDK', async () => {
    const skills = openAiChatSkills(await createTestSession())
    const messages: ChatMessage[] = [{ role: 'user', content: 'Do it.' }]
    const first: OpenAI.Chat.ChatCompletionCreateParams = {
      model: 'gpt',
      ...(await skills.request({ messages })),
    }
    expect(first.messages[0]).toMatchObject({ role: 'system' })
    expect(JSON.stringify(first.messages[0])).toContain('Available skills:')

    const call: ChatMessage = {
      role: 'assistant',
      content: null,
      tool_calls: [
        {
          id: 'c1',
          type: 'function',
          function: { name: 'skill_load', arguments: '{"skill":"demo","docs":null}' },
        },
        {
          id: 'c2',
          type: 'function',
          function: { name: 'skill_list_docs', arguments: '{"skill":"demo"}' },
        },
      ],
    }
    messages.push(call, ...(await skills.answer(call)))
    expect(messages.slice(2)).toEqual([
      { role: 'tool', tool_call_id: 'c1', content: 'loaded: demo' },
      { role: 'tool', tool_call_id: 'c2', content: '["EXTRA.txt","USAGE.md","docs/a.md"]' },
    ])
    const second = await skills.request({ messages })
    expect(second.messages[3]).toMatchObject({
      content: 'loaded: demo\n\n[Loaded] demo\n# Demo\nDEMO BODY',
    })
  })

  it('appends to an existing system or developer message', async () => {
    const skills = openAiChatSkills(await createTestSession())
    for (const role of ['system', 'developer'] as const) {
      const { messages } = await skills.request({
        messages: [
          { role, content: 'You help.' },
          { role: 'user', content: 'Hi' },
        ],
      })
      expect(messages).toHaveLength(2)
      expect(JSON.stringify(messages[0])).toContain('You help.\\n\\nAvailable skills:')
    }
  })
})

describe('openAiSkills()', () => {
  it('runs a conversation in the types of the SDK', async () => {
    const skills = openAiSkills(await createTestSession())
    const input: InputItem[] = [{ role: 'user', content: 'Do it.' }]
    const first: OpenAI.Responses.ResponseCreateParams = {
      model: 'gpt',
      ...(await skills.request({ instructions: 'You help.', input })),
    }
    expect(first.instructions).toMatch(/^You help\.\n\nAvailable skills:/)
    const call: OpenAI.Responses.ResponseFunctionToolCall = {
      type: 'function_call',
      call_id: 'c1',
      name: 'skill_load',
      arguments: '{"skill":"demo"}',
    }
    input.push(call, ...(await skills.answer({ output: [call] })))
    const second = await skills.request({ input })
    expect(JSON.stringify(second.input)).toContain('DEMO BODY')
    expect(second.instructions).not.toContain('DEMO BODY')
    // The provider keeps the conversation: loaded content must not get lost.
    const third = await skills.request({ input: 'Go on.' })
    expect(third.instructions).toContain('DEMO BODY')
  })

  it('offers tools that follow the rules of strict mode', async () => {
    const session = await createTestSession({ tools: 'protocol' })
    const tools: OpenAI.Responses.FunctionTool[] = await openAiSkills(session).tools()
    expect(tools.filter((tool) => tool.strict).map((tool) => tool.name)).toEqual([
      'list_skills',
      'describe_skill',
      'read_skill_file',
      'create_blob',
      'read_blob',
      'load_skills_protocol_guide',
    ])
    const full = await openAiSkills(await createTestSession({ tools: 'agent' })).tools()
    for (const tool of [...tools, ...full]) {
      expect(tool.name).toMatch(/^[a-zA-Z0-9_-]{1,64}$/)
      if (tool.strict) expectStrict(tool.parameters)
    }
    const [list] = tools
    expect(list?.parameters).toMatchObject({
      required: ['namespace', 'detail', 'limit', 'cursor'],
      properties: {
        namespace: { type: ['string', 'null'] },
        detail: { type: ['string', 'null'], enum: ['names', 'summary', null] },
      },
    })
  })
})

/** OpenAI's rules for schemas in strict mode. */
function expectStrict(schema: unknown): void {
  if (typeof schema !== 'object' || schema === null) return
  for (const word of ['default', 'allOf', 'oneOf', 'not', '$schema', 'minLength', 'maxLength']) {
    expect(Object.keys(schema)).not.toContain(word)
  }
  const { type, properties, required, additionalProperties } = schema as Record<string, unknown>
  if (type === 'object' || (Array.isArray(type) && type.includes('object'))) {
    expect(additionalProperties).toBe(false)
    expect(required).toEqual(Object.keys(properties as object))
    for (const each of Object.values(properties as object)) expectStrict(each)
  }
  expectStrict((schema as { items?: unknown }).items)
}
