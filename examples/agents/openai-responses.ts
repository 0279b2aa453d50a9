// The Responses API of OpenAI. The client reads OPENAI_API_KEY and OPENAI_BASE_URL.
import OpenAI from 'openai'
import { openAiSkills } from 'skills-protocol/agent/openai-responses'
import { MAX_REQUESTS, openSession, QUESTION } from './session.ts'

const model = process.env['MODEL'] ?? 'gpt-5.4'
const client = new OpenAI()
const session = await openSession()
const skills = openAiSkills(session)
const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: QUESTION }]

await session.beginTurn()
for (let count = 0; count < MAX_REQUESTS; count += 1) {
  const request = await skills.request({ model, input })
  const response = await client.responses.create(request)
  input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]))
  const results = await skills.answer(response)
  if (results.length === 0) {
    console.log(response.output_text)
    break
  }
  input.push(...results)
}
