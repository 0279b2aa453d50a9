import type { Content, FunctionDeclaration, GenerateContentParameters } from '@google/genai'
import { describe, expect, it } from 'vitest'
import { geminiSkills } from '../../../src/agent/adapters/gemini.ts'
import { createTestSession } from '../../helpers/agent.ts'

describe('geminiSkills()', () => {
  it('runs a conversation in the types of the SDK', async () => {
    const skills = geminiSkills(await createTestSession())
    const contents: Content[] = [{ role: 'user', parts: [{ text: 'Do it.' }] }]
    const first: GenerateContentParameters = {
      model: 'gemini',
      ...(await skills.request({ contents, config: { systemInstruction: 'You help.' } })),
    }
    expect(first.config?.systemInstruction).toMatch(/^You help\.\n\nAvailable skills:/)

    const content: Content = {
      role: 'model',
      parts: [{ functionCall: { name: 'skill_load', args: { skill: 'demo' } } }],
    }
    const answer = await skills.answer(content)
    contents.push(content, answer as Content)
    const second = await skills.request({ contents })
    expect(second.contents[2]).toEqual({
      role: 'user',
      parts: [
        {
          functionResponse: {
            name: 'skill_load',
            response: { output: 'loaded: demo\n\n[Loaded] demo\n# Demo\nDEMO BODY' },
          },
        },
      ],
    })
    expect(second.config.systemInstruction).not.toContain('DEMO BODY')
  })

  it('accepts every form of conversation that the SDK accepts', async () => {
    const text = { text: 'Do it.' }
    const content = [{ role: 'user', parts: [text] }]
    const forms: GenerateContentParameters['contents'][] = [
      'Do it.',
      text,
      ['Do it.'],
      content[0]!,
      content,
    ]
    for (const contents of forms) {
      const skills = geminiSkills(await createTestSession())
      expect((await skills.request({ contents })).contents).toEqual(content)
    }
  })

  it('keeps an empty content unchanged', async () => {
    const contents = [{ role: 'user', parts: [{ text: 'Hi' }] }, {}, { role: 'model' }]
    const skills = geminiSkills(await createTestSession())
    expect((await skills.request({ contents })).contents).toEqual(contents)
    expect((await skills.request({ contents: [] })).contents).toEqual([])
  })

  it('keeps ids of Gemini', async () => {
    const skills = geminiSkills(await createTestSession())
    const content = {
      parts: [{ functionCall: { id: 'f1', name: 'skill_load', args: { skill: 'x' } } }],
    }
    const answer = await skills.answer(content)
    expect(answer?.parts[0]?.functionResponse).toMatchObject({
      id: 'f1',
      response: { error: expect.stringContaining('unknown skill: x') as unknown },
    })
    const { contents } = await skills.request({ contents: [content, answer as object] })
    expect(contents[1]).toMatchObject({ parts: [{ functionResponse: { id: 'f1' } }] })
  })

  it('offers functions in the schema subset of Gemini', async () => {
    const session = await createTestSession({ tools: 'protocol' })
    const [{ functionDeclarations } = { functionDeclarations: [] }] =
      await geminiSkills(session).tools()
    const declarations = functionDeclarations as FunctionDeclaration[]
    expect(declarations).toHaveLength(8)
    const full = await geminiSkills(await createTestSession({ tools: 'agent' })).tools()
    const more = (full[0]?.functionDeclarations ?? []) as FunctionDeclaration[]
    expect(more.length).toBeGreaterThan(8)
    for (const { name, parameters } of [...declarations, ...more]) {
      expect(name).toMatch(/^[a-zA-Z_][a-zA-Z0-9_.:-]{0,63}$/)
      if (parameters) expectSubset(parameters)
    }
    const guide = declarations.find((each) => each.name === 'load_skills_protocol_guide')
    expect(guide).not.toHaveProperty('parameters')
    const create = declarations.find((each) => each.name === 'create_blob')
    expect(create?.parameters?.properties?.['encoding']).toMatchObject({ enum: ['base64'] })
    const execute = declarations.find((each) => each.name === 'execute_skill')
    expect(execute?.parameters?.properties?.['args']).toMatchObject({ type: 'STRING' })
  })

  it('parses an open object given as JSON text', async () => {
    const session = await createTestSession({ tools: 'protocol' })
    const args = { name: 'demo', args: '{"a": 1' }
    const broken = await session.call({ id: '1', name: 'execute_skill', arguments: args })
    expect(broken.text).toContain('invalid args: ')
    const read = await session.call({
      id: '2',
      name: 'execute_skill',
      arguments: { ...args, args: '{"a": 1}' },
    })
    expect(read.text).not.toContain('invalid args')
  })
})

const WORDS = new Set(
  'type description nullable enum minimum maximum items properties required'.split(' '),
)

function expectSubset(schema: object): void {
  for (const word of Object.keys(schema)) expect([...WORDS]).toContain(word)
  const { type, properties, items, enum: values } = schema as Record<string, unknown>
  expect(['OBJECT', 'ARRAY', 'STRING', 'INTEGER', 'NUMBER', 'BOOLEAN']).toContain(type)
  if (type === 'OBJECT') expect(Object.keys(properties as object).length).toBeGreaterThan(0)
  if (values) expect(type).toBe('STRING')
  for (const each of Object.values(properties ?? {})) expectSubset(each as object)
  if (type === 'ARRAY') expectSubset(items as object)
}
