import { readFileSync } from 'node:fs'
import { generateText, stepCountIs } from 'ai'
import { MockLanguageModelV3 } from 'ai/test'
import { expect, it } from 'vitest'
import { aiSdkSkills } from '../../src/agent/adapters/ai-sdk.ts'
import { anthropicSkills } from '../../src/agent/adapters/anthropic.ts'
import { createAgentSession, localHost, type AgentSession } from '../../src/agent/index.ts'
import { createRuntime, loadConfig } from '../../src/index.ts'
import { TEST_SKILLS } from '../helpers/agent.ts'
import { createFolder } from '../helpers/skills.ts'

const page = readFileSync(new URL('../../docs/agents.md', import.meta.url), 'utf8')
const [aiSdk = '', anthropic = ''] = [...page.matchAll(/```ts\n([\s\S]*?)```/g)].map(
  ([, code = '']) => code,
)

/** Runs a snippet with values for its imports and variables. */
async function run(code: string, scope: Record<string, unknown>, result: string) {
  const body = code.replaceAll(/^import .*$/gm, '').replace(': MessageParam[]', '')
  // oxlint-disable-next-line no-implied-eval, no-new-func -- the snippet is ours, from docs/agents.md
  const work = new Function(
    ...Object.keys(scope),
    `return (async () => {${body}; return ${result}})()`,
  )
  return (await (work as (...values: unknown[]) => Promise<unknown>)(
    ...Object.values(scope),
  )) as never
}

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

it('the snippets of docs/agents.md load a skill', async () => {
  const cwd = createFolder(TEST_SKILLS)
  const process = { cwd: () => cwd, env: { HOME: createFolder() } }
  const model = new MockLanguageModelV3({
    doGenerate: [
      {
        content: [
          {
            type: 'tool-call',
            toolCallId: 'c1',
            toolName: 'skill_load',
            input: '{"skill":"demo"}',
          },
        ],
        finishReason: { unified: 'tool-calls', raw: undefined },
        usage,
        warnings: [],
      },
      {
        content: [{ type: 'text', text: 'Hello, Ada!' }],
        finishReason: { unified: 'stop', raw: undefined },
        usage,
        warnings: [],
      },
    ],
  })
  const sdk = {
    generateText,
    stepCountIs,
    createRuntime,
    loadConfig,
    createAgentSession,
    localHost,
  }
  const scope = { ...sdk, aiSdkSkills, process, model }
  const done: { text: string; session: AgentSession } = await run(aiSdk, scope, '{ text, session }')
  expect(done.text).toBe('Hello, Ada!')
  expect(JSON.stringify(model.doGenerateCalls[1]?.prompt)).toContain('DEMO BODY')

  const sent: { messages: object[] }[] = []
  const responses = [
    [{ type: 'tool_use', id: 't1', name: 'skill_load', input: { skill: 'other' } }],
    [{ type: 'text', text: 'Hello, Ada!' }],
  ]
  const create = async (request: { messages: object[] }) => {
    sent.push(structuredClone(request))
    return { content: responses.shift() }
  }
  const { session } = done
  const client = { messages: { create } }
  const messages: object[] = await run(anthropic, { anthropicSkills, session, client }, 'messages')
  expect(messages).toHaveLength(4)
  expect(JSON.stringify(sent[1]?.messages)).toContain('OTHER BODY')
})
