// Chat Completions of OpenAI, and of the many servers that offer the same API. The client reads
// OPENAI_API_KEY and OPENAI_BASE_URL.
import OpenAI from 'openai'
import { openAiChatSkills } from 'skills-protocol/agent/openai-chat'
import { MAX_REQUESTS, openSession, QUESTION } from './session.ts'

const model = process.env['MODEL'] ?? 'gpt-5.4'
const client = new OpenAI()
const session = await openSession()
const skills = openAiChatSkills(session)
const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: 'user', content: QUESTION }]

await session.beginTurn()
for (let count = 0; count < MAX_REQUESTS; count += 1) {
  const request = await skills.request({ model, messages })
  const { choices } = await client.chat.completions.create(request)
  const message = choices[0]?.message
  if (!message) throw new Error('The response has no message')
  messages.push(message)
  const results = await skills.answer(message)
  if (results.length === 0) {
    console.log(message.content)
    break
  }
  messages.push(...results)
}
