// @module-tag slow
// @module-tag nightly
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { fileURLToPath } from 'node:url'
import { expect, it, onTestFinished, vi } from 'vitest'
import { runChild } from '../helpers/child.ts'
import { createFolder } from '../helpers/skills.ts'
import { BUILT_MODULES } from '../helpers/built.ts'

vi.setConfig({ testTimeout: 300_000 })

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

type ModelTurn = { id: string; name: string; input: object } | { text: string }

/** Returns the response of a model API that contains one turn of the model. */
type ResponseFormat = (turn: ModelTurn) => object

const toMessagesResponse: ResponseFormat = (turn) => ({
  type: 'message',
  role: 'assistant',
  content: ['text' in turn ? { type: 'text', text: turn.text } : { type: 'tool_use', ...turn }],
})

const toResponsesResponse: ResponseFormat = (turn) => ({
  object: 'response',
  output: [
    'text' in turn
      ? {
          type: 'message',
          role: 'assistant',
          content: [{ type: 'output_text', text: turn.text, annotations: [] }],
        }
      : {
          type: 'function_call',
          call_id: turn.id,
          name: turn.name,
          arguments: JSON.stringify(turn.input),
        },
  ],
})

const toChatResponse: ResponseFormat = (turn) => {
  if ('text' in turn) {
    return { choices: [{ index: 0, message: { role: 'assistant', content: turn.text } }] }
  }
  const { id, name, input } = turn
  const call = { id, type: 'function', function: { name, arguments: JSON.stringify(input) } }
  return {
    choices: [{ index: 0, message: { role: 'assistant', content: null, tool_calls: [call] } }],
  }
}

const toGeminiResponse: ResponseFormat = (turn) => {
  const part =
    'text' in turn
      ? { text: turn.text }
      : { functionCall: { id: turn.id, name: turn.name, args: turn.input } }
  return { candidates: [{ content: { role: 'model', parts: [part] } }] }
}

const toGatewayResponse: ResponseFormat = (turn) => ({
  content: [
    'text' in turn
      ? { type: 'text', text: turn.text }
      : {
          type: 'tool-call',
          toolCallId: turn.id,
          toolName: turn.name,
          input: JSON.stringify(turn.input),
        },
  ],
  finishReason: { unified: 'text' in turn ? 'stop' : 'tool-calls' },
  usage: { inputTokens: {}, outputTokens: {} },
})

/** The turns of a model that loads a skill, runs it, and quotes its result. */
const TURNS: readonly ((request: string) => ModelTurn)[] = [
  () => ({ id: 'c1', name: 'skill_load', input: { skill: 'examples.greet' } }),
  () => ({
    id: 'c2',
    name: 'execute_skill',
    input: { name: 'examples.greet', args: { name: 'Ada', language: 'de' } },
  }),
  (request) => ({ text: `The skill says: ${/Hallo, Ada!/.exec(request)?.[0]}` }),
]

/** A model API on loopback that records the requests. */
async function startModelServer(format: ResponseFormat) {
  const requests: string[] = []
  const server = createServer((request, response) => {
    let body = ''
    request.setEncoding('utf8').on('data', (chunk: string) => (body += chunk))
    request.on('end', () => {
      const turn = TURNS[requests.length]
      requests.push(body)
      response.writeHead(turn ? 200 : 500, { 'content-type': 'application/json' })
      response.end(JSON.stringify(turn ? format(turn(body)) : {}))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}

it.each([
  {
    file: 'anthropic.ts',
    format: toMessagesResponse,
    key: 'ANTHROPIC_API_KEY',
    url: 'ANTHROPIC_BASE_URL',
  },
  {
    file: 'openai-responses.ts',
    format: toResponsesResponse,
    key: 'OPENAI_API_KEY',
    url: 'OPENAI_BASE_URL',
  },
  { file: 'openai-chat.ts', format: toChatResponse, key: 'OPENAI_API_KEY', url: 'OPENAI_BASE_URL' },
  {
    file: 'gemini.ts',
    format: toGeminiResponse,
    key: 'GEMINI_API_KEY',
    url: 'GOOGLE_GEMINI_BASE_URL',
  },
  {
    file: 'ai-sdk.ts',
    format: toGatewayResponse,
    key: 'AI_GATEWAY_API_KEY',
    url: 'AI_GATEWAY_BASE_URL',
  },
])(
  'the agent $file loads a skill, runs it and prints the answer',
  async ({ file, format, key, url }) => {
    const model = await startModelServer(format)
    const argv = ['--import', BUILT_MODULES, `examples/agents/${file}`, 'Greet Ada in German.']
    const env = { HOME: createFolder(), [key]: 'test-key', [url]: model.url }
    const { code, stdout, stderr } = await runChild(process.execPath, argv, { cwd: ROOT, env })

    expect(stderr).toBe('')
    expect(stdout).toMatch(/^examples\.greet: Greets people by name/m)
    expect(stdout).toMatch(/The skill says: Hallo, Ada!\n$/)
    expect(code).toBe(0)
    // The list of skills is in every request, a skill's body only after the model loaded it.
    const findRequests = (text: string) => model.requests.map((request) => request.includes(text))
    expect(findRequests('examples.csv.summary')).toEqual([true, true, true])
    expect(findRequests('How to call it')).toEqual([false, true, true])
  },
)
