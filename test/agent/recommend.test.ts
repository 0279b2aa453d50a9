import { describe, expect, it } from 'vitest'
import { aiSdkSkills } from '../../src/agent/adapters/ai-sdk.ts'
import { anthropicSkills } from '../../src/agent/adapters/anthropic.ts'
import { geminiSkills } from '../../src/agent/adapters/gemini.ts'
import { neutralSkills } from '../../src/agent/adapters/neutral.ts'
import { openAiChatSkills } from '../../src/agent/adapters/openai-chat.ts'
import { openAiSkills } from '../../src/agent/adapters/openai-responses.ts'
import { createTestSession } from '../helpers/agent.ts'

const skill = (name: string, description: string) => ({
  [`skills/${name}/SKILL.md`]: `---\nname: ${name}\ndescription: ${description}\n---\n`,
})
const tree = {
  ...skill('weather-report', 'Forecasts the weather of a city, and warns of storms.'),
  ...skill('pdf-forms', 'Fills in forms, and reads their fields.'),
  ...skill('slides', 'Makes slides from notes.'),
}
const session = async (recommend = true) => await createTestSession({ tree, recommend })

const ASKED = 'What will the weather be? A weather report, please.'
const HINT = '(A skill that fits: weather-report. Load it first.)'

describe('a recommendation', () => {
  it('is appended to its message and stays there', async () => {
    const skills = neutralSkills(await session())
    const first = await skills.request([{ role: 'user', content: ASKED }])
    expect(first.messages.at(-1)?.content).toBe(`${ASKED}\n\n${HINT}`)
    const second = await skills.request([
      { role: 'user', content: ASKED },
      { role: 'assistant', content: 'Sunny.' },
      { role: 'user', content: 'Now fill in the forms of this pdf.' },
    ])
    expect(second.messages.slice(0, 2)).toEqual(first.messages)
    expect(second.messages.at(-1)?.content).toContain('fits: pdf-forms.')
  })

  it('is omitted if no skill stands out or the option is off', async () => {
    const vague = { role: 'user' as const, content: 'Please help me with this.' }
    const { messages } = await neutralSkills(await session()).request([vague])
    expect(messages.at(-1)).toEqual(vague)
    const question = { role: 'user' as const, content: ASKED }
    const without = await neutralSkills(await session(false)).request([question])
    expect(without.messages.at(-1)).toEqual(question)
  })

  it('works in every format', async () => {
    const message = { role: 'user' as const, content: ASKED }
    const parts = { role: 'user' as const, content: [{ type: 'text' as const, text: ASKED }] }
    const sent = [
      await anthropicSkills(await session()).request({ messages: [message] }),
      await anthropicSkills(await session()).request({ messages: [parts] }),
      await openAiChatSkills(await session()).request({ messages: [message] }),
      await openAiSkills(await session()).request({ input: ASKED }),
      await geminiSkills(await session()).request({ contents: ASKED }),
      await (await aiSdkSkills(await session())).prepareStep({ stepNumber: 0, messages: [parts] }),
    ]
    for (const request of sent) expect(JSON.stringify(request)).toContain(HINT)
  })
})
