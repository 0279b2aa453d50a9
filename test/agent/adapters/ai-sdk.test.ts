import {
  generateText,
  jsonSchema,
  pruneMessages,
  stepCountIs,
  streamText,
  tool,
  ToolLoopAgent,
  type ModelMessage,
  type ToolSet,
} from 'ai'
import { MockLanguageModelV3, simulateReadableStream } from 'ai/test'
import { describe, expect, it } from 'vitest'
import { aiSdkSkills } from '../../../src/agent/adapters/ai-sdk.ts'
import { createTestSession } from '../../helpers/agent.ts'

const usage = {
  inputTokens: { total: 1, noCache: 1, cacheRead: 0, cacheWrite: 0 },
  outputTokens: { total: 1, text: 1, reasoning: 0 },
}

type Say = { call: string; input: object } | { text: string }

/** A model with scripted outputs, with and without streaming. */
function scripted(script: readonly Say[]) {
  const contents = script.map((say, index) =>
    'text' in say
      ? { type: 'text' as const, text: say.text }
      : {
          type: 'tool-call' as const,
          toolCallId: `call-${index}`,
          toolName: say.call,
          input: JSON.stringify(say.input),
        },
  )
  const reason = (content: { type: string }) => ({
    unified: content.type === 'text' ? ('stop' as const) : ('tool-calls' as const),
    raw: undefined,
  })
  return new MockLanguageModelV3({
    doGenerate: contents.map((content) => ({
      content: [content],
      finishReason: reason(content),
      usage,
      warnings: [],
    })),
    doStream: contents.map((content) => ({
      stream: simulateReadableStream({
        chunks: [
          { type: 'stream-start' as const, warnings: [] },
          ...(content.type === 'text'
            ? [
                { type: 'text-start' as const, id: 't' },
                { type: 'text-delta' as const, id: 't', delta: content.text },
                { type: 'text-end' as const, id: 't' },
              ]
            : [content]),
          { type: 'finish' as const, finishReason: reason(content), usage },
        ],
      }),
    })),
  })
}

const SCRIPT: readonly Say[] = [
  { call: 'skill_load', input: { skill: 'demo' } },
  { call: 'skill_list_docs', input: { skill: 'demo' } },
  { call: 'skill_select_docs', input: { skill: 'demo', docs: ['USAGE.md'] } },
  { text: 'Done.' },
]

function requests(calls: readonly { prompt: readonly object[] }[]): string[][] {
  return calls.map(({ prompt }) => prompt.map((message) => JSON.stringify(message)))
}

function expectProgress(sent: readonly string[][]): void {
  expect(sent).toHaveLength(4)
  expect(sent[0]?.[0]).toContain('You help.\\n\\nAvailable skills:\\n- demo: Shows how it is done.')
  expect(sent[0]?.join('')).not.toContain('DEMO BODY')
  for (const later of sent.slice(1)) expect(later.join('').match(/DEMO BODY/g)).toHaveLength(1)
  expect(sent[3]?.join('')).toContain('USAGE TEXT')
  expect(sent[3]?.join('')).not.toContain('EXTRA TEXT')
  // Every request starts with the whole previous one.
  for (const [index, before] of sent.slice(0, -1).entries()) {
    expect(sent[index + 1]?.slice(0, before.length)).toEqual(before)
  }
}

describe('aiSdkSkills()', () => {
  it('loads a skill and a document in a conversation of several steps', async () => {
    const skills = await aiSdkSkills(await createTestSession(), { system: 'You help.' })
    const model = scripted(SCRIPT)
    const result = await generateText({
      ...skills,
      model,
      prompt: 'Do it.',
      stopWhen: stepCountIs(10),
    })
    expect(result.text).toBe('Done.')
    expect(result.steps).toHaveLength(4)
    expectProgress(requests(model.doGenerateCalls))
  })

  it('returns the same requests when the response is streamed', async () => {
    const skills = await aiSdkSkills(await createTestSession(), { system: 'You help.' })
    const model = scripted(SCRIPT)
    const result = streamText({ ...skills, model, prompt: 'Do it.', stopWhen: stepCountIs(10) })
    expect(await result.text).toBe('Done.')
    expectProgress(requests(model.doStreamCalls))
  })

  it('serves an SDK agent over several turns', async () => {
    const skills = await aiSdkSkills(await createTestSession({ loadMode: 'session' }))
    const model = scripted([...SCRIPT, { text: 'Again.' }])
    const agent = new ToolLoopAgent({ ...skills, model, instructions: 'You help.' })
    const messages: ModelMessage[] = [{ role: 'user', content: 'Do it.' }]
    const first = await agent.generate({ messages })
    expect(first.text).toBe('Done.')
    messages.push(...first.response.messages, { role: 'user', content: 'And again.' })
    expect((await agent.generate({ messages })).text).toBe('Again.')
    const sent = requests(model.doGenerateCalls)
    expect(sent).toHaveLength(5)
    for (const later of sent.slice(1)) expect(later.join('').match(/DEMO BODY/g)).toHaveLength(1)
    expect(sent[4]?.slice(0, sent[3]?.length)).toEqual(sent[3])
  })

  it('keeps loaded content when the SDK prunes tool calls', async () => {
    const skills = await aiSdkSkills(await createTestSession({ loadMode: 'session' }), {
      system: 'S.',
    })
    const first = await generateText({
      ...skills,
      model: scripted(SCRIPT),
      prompt: 'Do it.',
      stopWhen: stepCountIs(9),
    })
    const all: ModelMessage[] = [
      { role: 'user', content: 'Do it.' },
      ...first.response.messages,
      { role: 'user', content: 'Go on.' },
    ]
    const messages = pruneMessages({ messages: all, toolCalls: 'all' })
    const model = scripted([{ text: 'Still here.' }])
    await generateText({ ...skills, model, messages })
    const [sent = []] = requests(model.doGenerateCalls)
    expect(sent[0]).toContain('Loaded skill context:')
    for (const text of ['DEMO BODY', 'USAGE TEXT']) expect(sent[0]?.split(text)).toHaveLength(2)
  })

  it('answers concurrent calls, each with its own content', async () => {
    const calls = ['demo', 'other'].map((skill) => ({
      type: 'tool-call' as const,
      toolCallId: `c-${skill}`,
      toolName: 'skill_load',
      input: JSON.stringify({ skill }),
    }))
    const model = new MockLanguageModelV3({
      doGenerate: [
        {
          content: calls,
          finishReason: { unified: 'tool-calls', raw: undefined },
          usage,
          warnings: [],
        },
        {
          content: [{ type: 'text', text: 'Ok.' }],
          finishReason: { unified: 'stop', raw: undefined },
          usage,
          warnings: [],
        },
      ],
    })
    const skills = await aiSdkSkills(await createTestSession())
    await generateText({ ...skills, model, prompt: 'Go.', stopWhen: stepCountIs(5) })
    const last = model.doGenerateCalls[1]?.prompt.at(-1)
    expect(last?.content).toMatchObject([
      {
        toolCallId: 'c-demo',
        output: { value: 'loaded: demo\n\n[Loaded] demo\n# Demo\nDEMO BODY' },
      },
      { toolCallId: 'c-other', output: { value: 'loaded: other\n\n[Loaded] other\nOTHER BODY' } },
    ])
  })

  it('keeps a system message that it does not know', async () => {
    const skills = await aiSdkSkills(await createTestSession())
    const model = scripted(SCRIPT)
    const system = 'You help.'
    await generateText({ ...skills, system, model, prompt: 'Do it.', stopWhen: stepCountIs(10) })
    const sent = requests(model.doGenerateCalls)
    for (const request of sent) {
      expect(request[0]).toContain('You help.')
      expect(request[1]).toContain('Available skills:')
    }
    expect(sent[3]?.slice(0, sent[2]?.length)).toEqual(sent[2])
  })

  it('shows a load once with load mode "once"', async () => {
    const skills = await aiSdkSkills(await createTestSession({ loadMode: 'once' }))
    const model = scripted(SCRIPT)
    await generateText({ ...skills, model, prompt: 'Do it.', stopWhen: stepCountIs(10) })
    const has = requests(model.doGenerateCalls).map((each) => each.join('').includes('DEMO BODY'))
    expect(has).toEqual([false, true, false, false])
  })

  it('starts a turn with each call and keeps loads of the session', async () => {
    for (const [loadMode, stays] of [
      ['turn', false],
      ['session', true],
    ] as const) {
      const skills = await aiSdkSkills(await createTestSession({ loadMode }))
      const first = await generateText({
        ...skills,
        model: scripted([{ call: 'skill_load', input: { skill: 'demo' } }, { text: 'Ok.' }]),
        prompt: 'Load it.',
        stopWhen: stepCountIs(5),
      })
      const model = scripted([{ text: 'Still here.' }])
      const messages = [
        { role: 'user' as const, content: 'Load it.' },
        ...first.response.messages,
        { role: 'user' as const, content: 'And now?' },
      ]
      await generateText({ ...skills, model, messages })
      const [sent = []] = requests(model.doGenerateCalls)
      expect(sent.join('').includes('DEMO BODY')).toBe(stays)
    }
  })

  it('starts with the skills that the application declares', async () => {
    const session = await createTestSession()
    const skills = await aiSdkSkills(session, { loads: [{ name: 'demo', docs: ['EXTRA.txt'] }] })
    const model = scripted([{ text: 'Ok.' }])
    await generateText({ ...skills, model, prompt: 'Go.' })
    expect(requests(model.doGenerateCalls)[0]?.[0]).toContain('EXTRA TEXT')
  })

  it('returns errors to the model as tool results', async () => {
    const skills = await aiSdkSkills(await createTestSession())
    const model = scripted([{ call: 'skill_load', input: { skill: 'dmo' } }, { text: 'Oh.' }])
    await generateText({ ...skills, model, prompt: 'Go.', stopWhen: stepCountIs(5) })
    expect(requests(model.doGenerateCalls)[1]?.at(-1)).toContain('Did you mean \\"demo\\"?')
  })

  it('offers tools of the application after their skill was loaded', async () => {
    const deploy = tool({
      description: 'Deploys.',
      inputSchema: jsonSchema<object>({ type: 'object', properties: {} }),
      execute: () => 'deployed',
    })
    const session = await createTestSession({ activations: [{ skill: 'demo', tools: ['deploy'] }] })
    const skills = await aiSdkSkills(session, { ownTools: ['deploy'] })
    const tools: ToolSet = { deploy, ...skills.tools }
    const model = scripted([
      { call: 'skill_load', input: { skill: 'demo' } },
      { call: 'deploy', input: {} },
      { text: 'Ok.' },
    ])
    await generateText({
      model,
      tools,
      prepareStep: skills.prepareStep,
      prompt: 'Go.',
      stopWhen: stepCountIs(5),
    })
    const offered = model.doGenerateCalls.map((call) => call.tools?.map((each) => each.name))
    expect(offered[0]).not.toContain('deploy')
    expect(offered[1]).toContain('deploy')
  })

  it('rejects tied tools that are missing in ownTools', async () => {
    const session = await createTestSession({ activations: [{ skill: 'demo', tools: ['deploy'] }] })
    await expect(aiSdkSkills(session, { ownTools: ['search'] })).rejects.toThrow(
      '"deploy" appears with a skill but is missing in ownTools',
    )
  })

  it('passes tool schemas to the model unchanged', async () => {
    const skills = await aiSdkSkills(await createTestSession())
    const model = scripted([{ text: 'Ok.' }])
    await generateText({ ...skills, model, prompt: 'Go.' })
    const [load] = model.doGenerateCalls[0]?.tools ?? []
    expect(load).toMatchObject({
      type: 'function',
      name: 'skill_load',
      inputSchema: {
        type: 'object',
        properties: { skill: { type: 'string', enum: ['demo', 'other', 'third'] } },
        required: ['skill'],
        additionalProperties: false,
      },
    })
  })
})
