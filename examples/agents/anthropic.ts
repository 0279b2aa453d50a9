// The Messages API of Anthropic. The client reads ANTHROPIC_API_KEY and ANTHROPIC_BASE_URL.
import Anthropic from '@anthropic-ai/sdk'
import { anthropicSkills } from 'skills-protocol/agent/anthropic'
import { MAX_REQUESTS, openSession, QUESTION } from './session.ts'

const model = process.env['MODEL'] ?? 'claude-sonnet-5-5'
const client = new Anthropic()
const session = await openSession()
const skills = anthropicSkills(session)
const messages: Anthropic.MessageParam[] = [{ role: 'user', content: QUESTION }]

await session.beginTurn()
for (let count = 0; count < MAX_REQUESTS; count += 1) {
  const request = await skills.request({ model, max_tokens: 4096, messages })
  const response = await client.messages.create(request)
  messages.push({ role: 'assistant', content: response.content })
  const results = await skills.answer(response)
  if (!results) {
    for (const block of response.content) if (block.type === 'text') console.log(block.text)
    break
  }
  messages.push(results)
}
