import { specTypeSchemas } from '@modelcontextprotocol/client'
import { describe, expect, it } from 'vitest'
import { formatTools, TOOL_FORMATS } from '../../src/core/tool-formats/format-tools.ts'
import { PROFILES } from '../../src/agent/profiles.ts'
import { defineTool, type ToolDefinition } from '../../src/core/tool-formats/tool-definition.ts'
import { METHODS } from '../../src/core/methods/index.ts'

type Schema = Record<string, unknown>
interface Tool {
  name: string
  description: string
  schema: Schema | undefined
  strict?: boolean
}

/** As many names as a schema can list. */
const MANY = Array.from({ length: 256 }, (_, index) => `skill-${index}`)

const SETS = [
  ...Object.entries(PROFILES).map(([name, tools]) => ({
    name,
    tools: METHODS.filter((method) => (tools as readonly string[]).includes(method.name)),
  })),
  { name: 'every method', tools: METHODS },
].flatMap(({ name, tools }) => [
  { name, tools: tools.map((method) => defineTool(method)) },
  {
    name: `${name}, many skills`,
    tools: tools.map((method) => defineTool(method, { skills: MANY })),
  },
])

/** Normalises a tool from the layout of each format. */
function toolsIn(format: string, formatted: unknown): Tool[] {
  if (format === 'ai-sdk') {
    return Object.entries(formatted as Record<string, Schema>).map(([name, each]) => ({
      name,
      description: String(each['description']),
      schema: each['inputSchema'] as Schema,
    }))
  }
  const list = format === 'gemini' ? declarationsIn(formatted) : (formatted as Schema[])
  return list.map((each) => {
    const tool = (format === 'openai-chat' ? each['function'] : each) as Tool & Schema
    const { name, description } = tool
    const schema = tool['parameters'] ?? tool['input_schema'] ?? tool['inputSchema']
    const { strict } = tool
    return { name, description, schema: schema as Schema, ...(strict !== undefined && { strict }) }
  })
}

function declarationsIn(formatted: unknown): Schema[] {
  const [only] = formatted as { functionDeclarations: Schema[] }[]
  return only?.functionDeclarations ?? []
}

/** A schema and all nested ones, each with its depth. */
function* schemasIn(schema: Schema, depth = 0): Generator<{ schema: Schema; depth: number }> {
  yield { schema, depth }
  const { properties = {}, items, additionalProperties, anyOf = [] } = schema
  const inner = [
    ...Object.values(properties as object),
    ...(anyOf as object[]),
    items,
    additionalProperties,
  ]
  for (const each of inner) {
    if (typeof each === 'object' && each !== null) yield* schemasIn(each as Schema, depth + 1)
  }
}

describe.each(SETS)('the tools of $name', ({ tools }) => {
  it.each(TOOL_FORMATS)(
    'have valid names and schemas for every provider, for %s',
    async (format) => {
      const formatted = toolsIn(format, await formatTools(format, tools))
      expect(formatted).toHaveLength(tools.length)
      expect(new Set(formatted.map((tool) => tool.name)).size).toBe(tools.length)
      for (const { name, description, schema } of formatted) {
        expect(name).toMatch(format === 'mcp' ? /^[A-Za-z0-9_.-]{1,64}$/ : /^[a-zA-Z0-9_-]{1,64}$/)
        expect(description.length).toBeGreaterThan(0)
        expect(description.length).toBeLessThanOrEqual(1024)
        if (!schema) continue
        expect(String(schema['type']).toLowerCase()).toBe('object')
        for (const word of ['anyOf', 'oneOf', 'allOf']) expect(schema).not.toHaveProperty(word)
        for (const { schema: each } of schemasIn(schema)) expectSound(each)
      }
    },
  )

  it.each(['openai', 'openai-chat'])(
    'follow strict mode if marked strict, for %s',
    async (format) => {
      for (const { strict, schema = {} } of toolsIn(format, await formatTools(format, tools))) {
        if (strict) expectStrict(schema)
      }
    },
  )

  it('use the schema subset of Gemini', async () => {
    for (const { schema } of toolsIn('gemini', await formatTools('gemini', tools))) {
      for (const { schema: each } of schema ? schemasIn(schema) : []) expectGemini(each)
    }
  })

  it('match the tool schema of the Model Context Protocol', async () => {
    for (const tool of (await formatTools('mcp', tools)) as ToolDefinition[]) {
      expect(specTypeSchemas.Tool['~standard'].validate(tool)).not.toHaveProperty('issues')
    }
  })
})

function expectSound({ type, properties = {}, required = [], items, enum: values }: Schema): void {
  for (const name of Object.keys(properties as object)) {
    expect(name).toMatch(/^[a-zA-Z0-9_.-]{1,64}$/)
  }
  for (const name of required as string[]) expect(Object.keys(properties as object)).toContain(name)
  if (String(type).toLowerCase() === 'array') expect(items).toBeTypeOf('object')
  if (values !== undefined) {
    expect((values as unknown[]).length).toBeGreaterThan(0)
    expect(new Set(values as unknown[]).size).toBe((values as unknown[]).length)
  }
}

/** Keywords of OpenAI's strict mode; any other one makes it reject the request. */
const STRICT = new Set(
  'type properties required additionalProperties description enum const anyOf items pattern format multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minItems maxItems'.split(
    ' ',
  ),
)

function expectStrict(root: Schema): void {
  const all = [...schemasIn(root)]
  let properties = 0
  let values = 0
  for (const { schema, depth } of all) {
    for (const word of Object.keys(schema)) expect([...STRICT]).toContain(word)
    expect(schema['type'] ?? schema['anyOf']).toBeDefined()
    expect(depth).toBeLessThanOrEqual(10)
    values += ((schema['enum'] ?? []) as unknown[]).length
    if (![schema['type']].flat().includes('object')) continue
    const names = Object.keys(schema['properties'] as object)
    properties += names.length
    expect(schema['additionalProperties']).toBe(false)
    expect(schema['required']).toEqual(names)
  }
  expect(properties).toBeLessThanOrEqual(5000)
  expect(values).toBeLessThanOrEqual(1000)
}

/** Keywords that every version of Gemini's schemas supports. */
const GEMINI = new Set(
  'type description nullable enum minimum maximum items properties required'.split(' '),
)

function expectGemini({ type, properties, enum: values, ...rest }: Schema): void {
  for (const word of Object.keys(rest)) expect([...GEMINI]).toContain(word)
  expect(['OBJECT', 'ARRAY', 'STRING', 'INTEGER', 'NUMBER', 'BOOLEAN']).toContain(type)
  if (type === 'OBJECT') expect(Object.keys(properties as object).length).toBeGreaterThan(0)
  if (values === undefined) return
  expect(type).toBe('STRING')
  for (const each of values as unknown[]) expect(each).toBeTypeOf('string')
}
