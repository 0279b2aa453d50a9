import { describe, expect, it } from 'vitest'
import { aiSdkSkills } from '../../../src/agent/adapters/ai-sdk.ts'
import { anthropicSkills } from '../../../src/agent/adapters/anthropic.ts'
import { geminiSkills } from '../../../src/agent/adapters/gemini.ts'
import { neutralSkills } from '../../../src/agent/adapters/neutral.ts'
import { openAiChatSkills } from '../../../src/agent/adapters/openai-chat.ts'
import { openAiSkills } from '../../../src/agent/adapters/openai-responses.ts'
import { createTestSession } from '../../helpers/agent.ts'

/** A session with no skills to list and no tools to offer. */
const nothing = async () =>
  await createTestSession({ tools: [], tree: { 'skills/.keep': '' }, activations: HIDDEN })
const HIDDEN = [{ skill: 'demo', tools: ['deploy'] }]

const message = { role: 'user' as const, content: 'Hi' }
const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }]

describe('a request without skills and tools', () => {
  it('equals its input: providers reject empty lists and texts', async () => {
    const messages = [message]
    expect(await anthropicSkills(await nothing()).request({ messages })).toEqual({ messages })
    expect(await openAiChatSkills(await nothing()).request({ messages })).toEqual({ messages })
    expect(await openAiSkills(await nothing()).request({ input: 'Hi' })).toEqual({ input: 'Hi' })
    expect(await geminiSkills(await nothing()).request({ contents })).toEqual({
      contents,
      config: {},
    })
    expect(await neutralSkills(await nothing()).request(messages)).toEqual({ messages, tools: [] })
    const step = { stepNumber: 0, messages }
    const skills = await aiSdkSkills(await nothing(), { ownTools: ['deploy'] })
    expect(await skills.prepareStep(step)).toEqual({ messages, activeTools: [] })
  })

  it('offers no tools while those of the application wait for their skill', async () => {
    const tool = { name: 'deploy', input_schema: { type: 'object' } }
    const one = await anthropicSkills(await nothing()).request({ messages: [], tools: [tool] })
    expect(one).toEqual({ messages: [] })
    const chat = { type: 'function', function: { name: 'deploy' } }
    const two = await openAiChatSkills(await nothing()).request({ messages: [], tools: [chat] })
    expect(two).toEqual({ messages: [] })
    const declared = [{ functionDeclarations: [{ name: 'deploy' }] }, { googleSearch: {} }]
    const three = await geminiSkills(await nothing()).request({
      contents,
      config: { tools: declared },
    })
    expect(three.config).toEqual({ tools: [{ googleSearch: {} }] })
  })
})
