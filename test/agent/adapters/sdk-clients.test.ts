import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import Anthropic from '@anthropic-ai/sdk'
import { GoogleGenAI, type Content } from '@google/genai'
import OpenAI from 'openai'
import { afterEach, describe, expect, it } from 'vitest'
import { anthropicSkills } from '../../../src/agent/adapters/anthropic.ts'
import { geminiSkills } from '../../../src/agent/adapters/gemini.ts'
import { openAiChatSkills } from '../../../src/agent/adapters/openai-chat.ts'
import { openAiSkills } from '../../../src/agent/adapters/openai-responses.ts'
import { createTestSession } from '../../helpers/agent.ts'

const open = new Set<Server>()
afterEach(() => {
  for (const server of open) server.close()
  open.clear()
})

/** A provider with scripted responses that records its requests. */
async function provider(answers: readonly object[]) {
  const left = [...answers]
  const sent: string[] = []
  const server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      sent.push(Buffer.concat(chunks).toString('utf8'))
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify(left.shift() ?? {}))
    })
  })
  open.add(server)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, sent }
}

const STEPS = [
  { name: 'skill_load', args: { skill: 'demo' } },
  { name: 'skill_select_docs', args: { skill: 'demo', docs: ['USAGE.md'] } },
]

/**
 * Every request has the tools, the body follows the first response, the document the second, each
 * once.
 */
function expectSent(sent: readonly string[]): void {
  expect(sent).toHaveLength(3)
  for (const each of sent) {
    expect(each).toContain('- demo: Shows how it is done.')
    expect(each).toContain('skill_select_docs')
  }
  const count = (text: string) => sent.map((each) => each.split(text).length - 1)
  expect(count('DEMO BODY')).toEqual([0, 1, 1])
  expect(count('USAGE TEXT')).toEqual([0, 0, 1])
}

describe('a conversation through the official client', () => {
  it('completes with Anthropic Messages', async () => {
    const at = await provider([
      ...STEPS.map(({ name, args }, index) => ({
        type: 'message',
        role: 'assistant',
        content: [{ type: 'tool_use', id: `t${index}`, name, input: args }],
        stop_reason: 'tool_use',
      })),
      { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'Done.' }] },
    ])
    const client = new Anthropic({ apiKey: 'k', baseURL: at.url })
    const skills = anthropicSkills(await createTestSession())
    const messages: Anthropic.Messages.MessageParam[] = [{ role: 'user', content: 'Do it.' }]
    for (;;) {
      const request = await skills.request({ model: 'm', max_tokens: 9, messages })
      const response = await client.messages.create(request)
      messages.push({ role: 'assistant', content: response.content })
      const answer = await skills.answer(response)
      if (!answer) break
      messages.push(answer)
    }
    expectSent(at.sent)
  })

  it('completes with OpenAI Chat Completions', async () => {
    const message = (content: object) => ({ choices: [{ index: 0, message: content }] })
    const at = await provider([
      ...STEPS.map(({ name, args }, index) =>
        message({
          role: 'assistant',
          content: null,
          tool_calls: [
            {
              id: `t${index}`,
              type: 'function',
              function: { name, arguments: JSON.stringify(args) },
            },
          ],
        }),
      ),
      message({ role: 'assistant', content: 'Done.' }),
    ])
    const client = new OpenAI({ apiKey: 'k', baseURL: at.url })
    const skills = openAiChatSkills(await createTestSession())
    const messages: OpenAI.Chat.ChatCompletionMessageParam[] = [{ role: 'user', content: 'Do it.' }]
    for (;;) {
      const request = await skills.request({ model: 'm', messages })
      const { choices } = await client.chat.completions.create(request)
      const reply = choices[0]?.message
      if (!reply) break
      messages.push(reply)
      const answers = await skills.answer(reply)
      if (answers.length === 0) break
      messages.push(...answers)
    }
    expectSent(at.sent)
  })

  it('completes with OpenAI Responses', async () => {
    const at = await provider([
      ...STEPS.map(({ name, args }, index) => ({
        output: [
          { type: 'reasoning', id: `r${index}`, summary: [] },
          {
            type: 'function_call',
            call_id: `t${index}`,
            name,
            arguments: JSON.stringify(args),
          },
        ],
      })),
      { output: [{ type: 'message', role: 'assistant', content: [] }] },
    ])
    const client = new OpenAI({ apiKey: 'k', baseURL: at.url })
    const skills = openAiSkills(await createTestSession())
    const input: OpenAI.Responses.ResponseInputItem[] = [{ role: 'user', content: 'Do it.' }]
    for (;;) {
      const request = await skills.request({ model: 'm', input })
      const response = await client.responses.create(request)
      input.push(...(response.output as OpenAI.Responses.ResponseInputItem[]))
      const answers = await skills.answer(response)
      if (answers.length === 0) break
      input.push(...answers)
    }
    expectSent(at.sent)
  })

  it('completes with Gemini', async () => {
    const respondWith = (part: object) => ({
      candidates: [{ content: { role: 'model', parts: [part] } }],
    })
    const at = await provider([
      ...STEPS.map(({ name, args }) => respondWith({ functionCall: { name, args } })),
      respondWith({ text: 'Done.' }),
    ])
    const client = new GoogleGenAI({ apiKey: 'k', httpOptions: { baseUrl: at.url } })
    const skills = geminiSkills(await createTestSession({ tools: 'agent' }))
    const contents: Content[] = [{ role: 'user', parts: [{ text: 'Do it.' }] }]
    for (;;) {
      const request = await skills.request({ model: 'm', contents })
      const response = await client.models.generateContent(request)
      const reply = response.candidates?.[0]?.content ?? {}
      contents.push(reply)
      const answer = await skills.answer(reply)
      if (!answer) break
      contents.push(answer)
    }
    expectSent(at.sent)
    expect(at.sent[2]).not.toContain('skills-')
  })
})
