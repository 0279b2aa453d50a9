import { describe, expect, it } from 'vitest'
import { PROFILES } from '../../../src/agent/profiles.ts'
import { runSkills } from '../../helpers/skills.ts'

const tools = async (...argv: string[]) => await runSkills(['prompt', '--tools', ...argv])
const parse = async (...argv: string[]): Promise<unknown> => {
  const { code, stdout, stderr } = await tools(...argv)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return JSON.parse(stdout)
}

it('--tool needs --tools', async () => {
  const { code, stderr } = await runSkills(['prompt', '--tool', 'skill_load'])
  expect([code, stderr]).toEqual([2, expect.stringContaining('add --tools <format>')])
})

describe('skills prompt --tools', () => {
  it('prints the tools of a request in each format', async () => {
    // Models accept no dots in names.
    const names = PROFILES.protocol.map((name) => name.replace('.', '__'))
    const named = (list: unknown) => (list as { name: string }[]).map((each) => each.name)
    expect(named(await parse('openai'))).toEqual(names)
    expect(named(await parse('anthropic'))).toEqual(names)
    expect(named(await parse('mcp'))).toEqual([...PROFILES.protocol])
    expect(Object.keys((await parse('ai-sdk')) as object)).toEqual(names)
    const chat = (await parse('openai-chat')) as { type: string; function: object }[]
    expect(chat.map((each) => each.type)).toEqual(names.map(() => 'function'))
    expect(named(chat.map((each) => each.function))).toEqual(names)
    const [gemini] = (await parse('gemini')) as { functionDeclarations: object[] }[]
    expect(named(gemini?.functionDeclarations)).toEqual(names)
  })

  it('omits parameters that only the caller can set', async () => {
    const list = (await parse('anthropic', '--profile', 'knowledge')) as {
      input_schema: { properties: object }
    }[]
    for (const { input_schema: schema } of list) {
      expect(Object.keys(schema.properties)).not.toContain('session')
      expect(Object.keys(schema.properties)).not.toContain('agent')
    }
  })

  it('accepts an exact list, and prints one document', async () => {
    const {
      schema,
      format,
      profile,
      tools: list,
    } = (await parse('openai', '--tool', 'read_blob', '--tool', 'skill_load', '--json')) as {
      schema: string
      format: string
      profile: null
      tools: { name: string }[]
    }
    expect({ schema, format, profile }).toEqual({
      schema: 'skills.tools/v1',
      format: 'openai',
      profile: null,
    })
    expect(list.map((each) => each.name)).toEqual(['read_blob', 'skill_load'])
  })

  it('encodes dots for providers that reject them', async () => {
    const [openai] = (await parse('openai', '--tool', 'runtime.execute')) as { name: string }[]
    expect(openai?.name).toBe('runtime__execute')
    const [mcp] = (await parse('mcp', '--tool', 'runtime.execute')) as {
      name: string
    }[]
    expect(mcp?.name).toBe('runtime.execute')
  })

  it('adds tools to a profile, and selects only tools without one', async () => {
    const list = async (...argv: string[]) =>
      ((await parse('mcp', ...argv)) as { name: string }[]).map(({ name }) => name)
    const profile = await list('--profile', 'protocol')
    const added = ['--tool', 'runtime.execute', '--tool', 'list_skills']
    expect(await list('--profile', 'protocol', ...added)).toEqual([...profile, 'runtime.execute'])
    expect(await list(...added)).toEqual(['runtime.execute', 'list_skills'])
    expect(await list('--profile', 'programs')).toEqual([
      'runtime.execute',
      'runs',
      'runtime.languages',
      'runtime.queryOutput',
      'runtime.workflow',
    ])
  })

  it('accepts the former name of a profile, with one notice', async () => {
    const former = await tools('mcp', '--profile', 'knowledge_only')
    expect(former.stdout).toBe((await tools('mcp', '--profile', 'knowledge')).stdout)
    expect([former.code, former.stderr]).toEqual([
      0,
      '--profile knowledge_only is now --profile knowledge; knowledge_only ends with 0.2.0\n',
    ])
  })

  it('rejects contradictory options', async () => {
    const invalid: [string[], string][] = [
      [['xml'], '--tools is "xml"'],
      [['openai', '--profile', 'all'], '--profile is "all"'],
      [['openai', '--tool', 'skill_lod'], 'Unknown skill tool "skill_lod"'],
      [['openai', '--tool', 'skill_lod', '--profile', 'agent'], 'Unknown skill tool "skill_lod"'],
      [['openai', '--part', 'overview'], '--part has no effect on --tools'],
    ]
    for (const [argv, text] of invalid) {
      const done = await tools(...argv)
      expect(done).toMatchObject({ code: 2, stdout: '' })
      expect(done.stderr).toContain(text)
    }
  })
})
