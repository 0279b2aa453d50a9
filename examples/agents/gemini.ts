// The Gemini API. The client reads GEMINI_API_KEY and GOOGLE_GEMINI_BASE_URL.
import { GoogleGenAI, type Content } from '@google/genai'
import { geminiSkills } from 'skills-protocol/agent/gemini'
import { MAX_REQUESTS, openSession, QUESTION } from './session.ts'

const model = process.env['MODEL'] ?? 'gemini-3.8-flash'
const client = new GoogleGenAI({})
const session = await openSession()
const skills = geminiSkills(session)
const contents: Content[] = [{ role: 'user', parts: [{ text: QUESTION }] }]

await session.beginTurn()
for (let count = 0; count < MAX_REQUESTS; count += 1) {
  const request = await skills.request({ model, contents })
  const response = await client.models.generateContent(request)
  const content = response.candidates?.[0]?.content
  if (!content) throw new Error('The response has no content')
  contents.push(content)
  const results = await skills.answer(content)
  if (!results) {
    console.log(response.text)
    break
  }
  contents.push(results)
}
