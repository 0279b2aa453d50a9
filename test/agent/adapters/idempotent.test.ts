import { expect, it } from 'vitest'
import { aiSdkSkills } from '../../../src/agent/adapters/ai-sdk.ts'
import { anthropicSkills } from '../../../src/agent/adapters/anthropic.ts'
import { geminiSkills } from '../../../src/agent/adapters/gemini.ts'
import { neutralSkills } from '../../../src/agent/adapters/neutral.ts'
import { openAiChatSkills } from '../../../src/agent/adapters/openai-chat.ts'
import { openAiSkills } from '../../../src/agent/adapters/openai-responses.ts'
import type { AgentSession } from '../../../src/agent/session.ts'
import { createTestSession } from '../../helpers/agent.ts'

type Request = (params: never) => Promise<object>

/** An adapter, and the first request after a model loaded the skill `demo`. */
interface Case {
  name: string
  open: (session: AgentSession) => Promise<{ request: Request; first: object }>
}

const LOAD = { name: 'skill_load', arguments: { skill: 'demo' } }
const USER = 'Show me how it is done.'

const CASES: readonly Case[] = [
  {
    name: 'anthropic',
    async open(session) {
      const skills = anthropicSkills(session)
      const content = [{ type: 'tool_use', id: 'c', name: LOAD.name, input: LOAD.arguments }]
      const answer = await skills.answer({ content })
      const messages = [{ role: 'user', content: USER }, { role: 'assistant', content }, answer]
      const system = [{ type: 'text', text: 'You help.' }]
      return { request: skills.request, first: { system, messages } }
    },
  },
  {
    name: 'openai-chat',
    async open(session) {
      const skills = openAiChatSkills(session)
      const call = { name: LOAD.name, arguments: JSON.stringify(LOAD.arguments) }
      const asked = {
        role: 'assistant',
        tool_calls: [{ id: 'c', type: 'function', function: call }],
      }
      const messages = [{ role: 'user', content: USER }, asked, ...(await skills.answer(asked))]
      return { request: skills.request, first: { messages } }
    },
  },
  {
    name: 'openai-responses',
    async open(session) {
      const skills = openAiSkills(session)
      const call = {
        type: 'function_call',
        call_id: 'c',
        name: LOAD.name,
        arguments: JSON.stringify(LOAD.arguments),
      }
      const outputs = await skills.answer({ output: [call] })
      const input = [{ role: 'user', content: USER }, call, ...outputs]
      return { request: skills.request, first: { instructions: 'You help.', input } }
    },
  },
  {
    name: 'gemini',
    async open(session) {
      const skills = geminiSkills(session)
      const model = {
        role: 'model',
        parts: [{ functionCall: { name: LOAD.name, args: LOAD.arguments } }],
      }
      const answer = (await skills.answer(model)) as object
      const contents = [{ role: 'user', parts: [{ text: USER }] }, model, answer]
      return { request: skills.request, first: { contents } }
    },
  },
  {
    name: 'neutral',
    async open(session) {
      const skills = neutralSkills(session)
      const calls = [{ id: 'c', ...LOAD }]
      const asked = { role: 'assistant' as const, content: '', calls }
      const messages = [
        { role: 'user' as const, content: USER },
        asked,
        ...(await skills.answer(asked)),
      ]
      const request = async (params: { messages: never }) => await skills.request(params.messages)
      return { request, first: { messages } }
    },
  },
  {
    name: 'ai-sdk',
    async open(session) {
      const { tools, prepareStep } = await aiSdkSkills(session, { beginsTurns: false })
      const value = await tools[LOAD.name]?.execute(LOAD.arguments, { toolCallId: 'c' })
      const output = { type: 'text', value }
      const result = { type: 'tool-result', toolCallId: 'c', toolName: LOAD.name, output }
      const messages = [
        { role: 'user', content: USER },
        { role: 'tool', content: [result] },
      ]
      const request = async (params: { messages: object[] }) =>
        await prepareStep({ stepNumber: 1, messages: params.messages })
      return { request, first: { messages } }
    },
  },
]

const count = (value: unknown, text: string) => JSON.stringify(value).split(text).length - 1

it.each(CASES)('$name: a request that is passed back gains nothing', async ({ open }) => {
  const session = await createTestSession({ recommend: true, tools: 'agent' })
  await session.addFiles([{ name: 'a.txt', text: 'a' }])
  const { request, first } = await open(session)
  const once = await request(first as never)
  expect(count(once, 'DEMO BODY')).toBe(1)
  expect(count(once, 'Available skills:')).toBe(1)
  expect(await request(once as never)).toEqual(once)
  expect(await request((await request(once as never)) as never)).toEqual(once)
})

it.each(CASES)('$name: changed texts replace the earlier ones', async ({ open }) => {
  const session = await createTestSession({ loadMode: 'session' })
  const { request, first } = await open(session)
  const once = await request(first as never)
  await session.load({ skill: 'other' })
  const twice = await request(once as never)
  for (const text of ['DEMO BODY', 'OTHER BODY', 'Available skills:', 'Tooling and workspace']) {
    expect([text, count(twice, text)]).toEqual([text, 1])
  }
  await session.unload('other')
  const third = await request(twice as never)
  expect(count(third, 'OTHER BODY')).toBe(0)
  expect(third).toEqual(once)
})
