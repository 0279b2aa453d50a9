import type { JsonSchema } from './plain-schema.ts'

/** Gemini's schema format, a subset of OpenAPI's. */
export interface GeminiSchema {
  type: 'OBJECT' | 'ARRAY' | 'STRING' | 'INTEGER' | 'NUMBER' | 'BOOLEAN'
  description?: string
  nullable?: boolean
  enum?: string[]
  minimum?: number
  maximum?: number
  items?: GeminiSchema
  properties?: Record<string, GeminiSchema>
  required?: string[]
}

/** Description of an open object, which this format can only express as JSON text. */
const JSON_TEXT_DESCRIPTION = 'A JSON object, written as a string.'

/** Converts a schema for Gemini. Unsupported keywords are dropped. */
export function toGeminiSchema(schema: JsonSchema): GeminiSchema {
  const description = schema['description'] as string | undefined
  const described = description === undefined ? {} : { description }
  const type = readPlainType(schema)
  if (type === 'array') {
    return {
      type: 'ARRAY',
      ...described,
      items: toGeminiSchema((schema['items'] ?? {}) as JsonSchema),
    }
  }
  if (type === 'object') return toObjectSchema(schema, description)
  if (type === 'integer' || type === 'number') {
    return { type: type === 'integer' ? 'INTEGER' : 'NUMBER', ...described, ...readBounds(schema) }
  }
  if (type === 'boolean') return { type: 'BOOLEAN', ...described }
  const only = schema['const']
  const values = only === undefined ? (schema['enum'] as unknown[] | undefined) : [only]
  return { type: 'STRING', ...described, ...(values && { enum: values.map(String) }) }
}

function toObjectSchema(schema: JsonSchema, description: string | undefined): GeminiSchema {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, JsonSchema>)
  if (properties.length === 0) {
    const text =
      description === undefined ? JSON_TEXT_DESCRIPTION : `${description}. ${JSON_TEXT_DESCRIPTION}`
    return { type: 'STRING', description: text }
  }
  const required = schema['required'] as string[] | undefined
  return {
    type: 'OBJECT',
    ...(description !== undefined && { description }),
    properties: Object.fromEntries(properties.map(([name, each]) => [name, toGeminiSchema(each)])),
    ...(required && required.length > 0 && { required }),
  }
}

function readPlainType(schema: JsonSchema): string {
  const choices = schema['anyOf'] as JsonSchema[] | undefined
  const type = schema['type'] ?? choices?.find((each) => each['type'] !== 'null')?.['type']
  return typeof type === 'string' ? type : 'string'
}

function readBounds(schema: JsonSchema): { minimum?: number; maximum?: number } {
  const { minimum, maximum } = schema as { minimum?: number; maximum?: number }
  return { ...(minimum !== undefined && { minimum }), ...(maximum !== undefined && { maximum }) }
}
