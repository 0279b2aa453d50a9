import type Anthropic from '@anthropic-ai/sdk'
import type { Content } from '@google/genai'
import type { ModelMessage } from 'ai'
import type OpenAI from 'openai'
import { describe, expect, it } from 'vitest'
import { aiSdkSkills } from '../../../src/agent/adapters/ai-sdk.ts'
import { anthropicSkills } from '../../../src/agent/adapters/anthropic.ts'
import { geminiSkills } from '../../../src/agent/adapters/gemini.ts'
import { readMcpFiles } from '../../../src/agent/adapters/mcp.ts'
import { neutralSkills } from '../../../src/agent/adapters/neutral.ts'
import { openAiChatSkills } from '../../../src/agent/adapters/openai-chat.ts'
import { openAiSkills } from '../../../src/agent/adapters/openai-responses.ts'
import type { AgentSession } from '../../../src/agent/session.ts'
import { createTestSession } from '../../helpers/agent.ts'

const PNG = 'iVBORw0KGgoAAA=='
const PDF = Buffer.from('%PDF-1.7').toString('base64')

/** A session whose downloader returns the requested address or id as content. */
async function openSession(): Promise<AgentSession> {
  return await createTestSession({
    tools: 'agent',
    downloader: async ({ url, fileId }) => Buffer.from(`${url ?? fileId}`),
  })
}

const paths = (session: AgentSession) =>
  session.files.map(({ path, mimeType }) => `${path.replace('work/inputs/', '')} ${mimeType}`)

describe('documents and images of user messages', () => {
  it('are copied from Anthropic messages, and the message names the copies', async () => {
    const session = await openSession()
    const messages: Anthropic.MessageParam[] = [
      {
        role: 'user',
        content: [
          { type: 'image', source: { type: 'base64', media_type: 'image/png', data: PNG } },
          { type: 'image', source: { type: 'url', url: 'https://example.com/a/cat.jpg' } },
          { type: 'image', source: { type: 'file', file_id: 'file_1' } },
          {
            type: 'document',
            title: 'The plan',
            source: { type: 'base64', media_type: 'application/pdf', data: PDF },
          },
          { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'plain' } },
          {
            type: 'document',
            source: { type: 'content', content: [{ type: 'text', text: 'block' }] },
          },
          { type: 'container_upload', file_id: 'file_2' },
          { type: 'text', text: 'Read these.' },
        ],
      },
      { role: 'assistant', content: [{ type: 'text', text: 'I do.' }] },
    ]
    const before = JSON.stringify(messages)
    const request = await anthropicSkills(session).request({ messages })
    expect(paths(session)).toEqual([
      'upload_1.png image/png',
      'cat.jpg image/jpeg',
      'upload_3 text/plain',
      'The plan.pdf application/pdf',
      'document.txt text/plain',
      'document_2.txt text/plain',
      'upload_7 text/plain',
    ])
    const content = request.messages[0]?.content as { type: string; text?: string }[]
    expect(content).toHaveLength(9)
    expect(content.at(-1)?.text).toContain('- "work/inputs/The plan.pdf" (application/pdf, 8 bytes')
    expect(request.messages[1]).toEqual(messages[1])
    expect(JSON.stringify(messages)).toBe(before)
  })

  it('are copied from messages of Chat Completions', async () => {
    const session = await openSession()
    const messages: OpenAI.ChatCompletionMessageParam[] = [
      {
        role: 'user',
        content: [
          { type: 'image_url', image_url: { url: `data:image/png;base64,${PNG}` } },
          { type: 'image_url', image_url: { url: 'https://example.com/cat.png' } },
          {
            type: 'file',
            file: { filename: 'a.pdf', file_data: `data:application/pdf;base64,${PDF}` },
          },
          { type: 'file', file: { file_id: 'file-1' } },
          { type: 'input_audio', input_audio: { data: 'UklGRg==', format: 'wav' } },
        ],
      },
    ]
    const { messages: shown } = await openAiChatSkills(session).request({ messages })
    expect(paths(session)).toEqual([
      'upload_1.png image/png',
      'cat.png image/png',
      'a.pdf application/pdf',
      'upload_4 text/plain',
      'audio.wav audio/wav',
    ])
    expect(JSON.stringify(shown.at(-1))).toContain('work/inputs/a.pdf')
  })

  it('are copied from items of the Responses API', async () => {
    const session = await openSession()
    const input: OpenAI.Responses.ResponseInput = [
      {
        role: 'user',
        content: [
          { type: 'input_image', detail: 'auto', image_url: `data:image/png;base64,${PNG}` },
          { type: 'input_image', detail: 'auto', file_id: 'file-1' },
          { type: 'input_file', filename: 'a.pdf', file_data: PDF },
          { type: 'input_file', file_url: 'https://example.com/b.csv' },
          { type: 'input_file', file_id: 'file-2', filename: 'c.txt' },
        ],
      },
    ]
    const request = await openAiSkills(session).request({ input })
    expect(paths(session)).toEqual([
      'upload_1.png image/png',
      'upload_2 text/plain',
      'a.pdf application/pdf',
      'b.csv text/csv',
      'c.txt text/plain',
    ])
    const [message] = request.input as { content: { type: string }[] }[]
    expect(message?.content.at(-1)).toMatchObject({ type: 'input_text' })
  })

  it('are copied from contents of Gemini', async () => {
    const session = await openSession()
    const contents: Content[] = [
      {
        role: 'user',
        parts: [
          { inlineData: { mimeType: 'image/png', data: PNG, displayName: 'cat' } },
          { fileData: { fileUri: 'gs://bucket/a.pdf', mimeType: 'application/pdf' } },
        ],
      },
    ]
    const request = await geminiSkills(session).request({ contents })
    expect(paths(session)).toEqual(['cat.png image/png', 'a.pdf application/pdf'])
    expect(JSON.stringify(request.contents[0])).toContain('work/inputs/cat.png')
  })

  it('are copied from messages of the AI SDK', async () => {
    const session = await openSession()
    const messages: ModelMessage[] = [
      {
        role: 'user',
        content: [
          { type: 'image', image: PNG, mediaType: 'image/png' },
          { type: 'image', image: new URL('https://example.com/cat.png') },
          {
            type: 'file',
            data: Buffer.from('%PDF'),
            mediaType: 'application/pdf',
            filename: 'a.pdf',
          },
          { type: 'file', data: 'data:text/csv,a%2Cb', mediaType: 'text/csv', filename: 'b.csv' },
        ],
      },
    ]
    const { prepareStep } = await aiSdkSkills(session)
    const step = await prepareStep({ stepNumber: 0, messages })
    expect(paths(session)).toEqual([
      'upload_1.png image/png',
      'cat.png image/png',
      'a.pdf application/pdf',
      'b.csv text/csv',
    ])
    expect(JSON.stringify(step.messages)).toContain('work/inputs/b.csv')
  })

  it('are copied from neutral messages, and from content of the Model Context Protocol', async () => {
    const session = await openSession()
    const files = readMcpFiles([
      { type: 'text', text: 'not a file' },
      { type: 'image', data: PNG, mimeType: 'image/png' },
      { type: 'resource', resource: { uri: 'file:///x/a.txt', text: 'a', mimeType: 'text/plain' } },
      { type: 'resource', resource: { uri: 'mem://b.bin', blob: PDF } },
      { type: 'resource_link', uri: 'https://example.com/c.csv', name: 'c.csv' },
    ])
    const { messages } = await neutralSkills(session).request([
      { role: 'user', content: 'Read.', files },
    ])
    expect(paths(session)).toEqual([
      'upload_1.png image/png',
      'a.txt text/plain',
      'b.bin application/pdf',
      'c.csv text/csv',
    ])
    expect(messages.at(-1)?.content).toMatch(/^Read\.\n\nFiles of this message/)
  })

  it('keep their paths in every later request', async () => {
    const session = await openSession()
    const adapter = neutralSkills(session)
    const file = { name: 'a.txt', text: 'one' }
    const first = await adapter.request([{ role: 'user', content: 'A', files: [file] }])
    const second = await adapter.request([
      { role: 'user', content: 'A', files: [{ ...file }] },
      { role: 'assistant', content: 'B' },
      { role: 'user', content: 'C', files: [{ name: 'a.txt', text: 'two' }] },
    ])
    expect(second.messages.slice(0, 2)).toEqual(first.messages)
    expect(second.messages.at(-1)?.content).toContain('work/inputs/a_2.txt')
  })

  it('stay only in the message if no tool reads files', async () => {
    const session = await createTestSession()
    const messages = [{ role: 'user' as const, content: 'A', files: [{ text: 'x' }] }]
    const request = await neutralSkills(session).request(messages)
    expect(request.messages.at(-1)).toEqual(messages[0])
  })
})
