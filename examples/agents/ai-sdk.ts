// Version 6 of the AI SDK, with the models of its gateway: AI_GATEWAY_API_KEY and AI_GATEWAY_BASE_URL.
// Any other provider of the SDK can take the place of the gateway.
import { createGateway, generateText, stepCountIs } from 'ai'
import { aiSdkSkills } from 'skills-protocol/agent/ai-sdk'
import { MAX_REQUESTS, openSession, QUESTION } from './session.ts'

const baseURL = process.env['AI_GATEWAY_BASE_URL']
const gateway = createGateway(baseURL ? { baseURL } : {})
const model = gateway(process.env['MODEL'] ?? 'anthropic/claude-sonnet-5.5')
const skills = await aiSdkSkills(await openSession())

const { text } = await generateText({
  ...skills,
  model,
  prompt: QUESTION,
  stopWhen: stepCountIs(MAX_REQUESTS),
})
console.log(text)
