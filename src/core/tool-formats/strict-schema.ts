import type { JsonSchema } from './plain-schema.ts'

/** Keywords that OpenAI's strict mode accepts unchanged. */
const STRICT_KEYWORDS = new Set([
  'description',
  'enum',
  'const',
  'pattern',
  'multipleOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
])
/** Strict mode limits the size of enums. */
const MAX_ENUM_VALUES = 250

/**
 * Converts a schema to OpenAI's strict mode: every object is closed, every property is required,
 * and optional properties may be null. Undefined if an object is open, which strict mode cannot
 * express.
 */
export function toStrictSchema(schema: JsonSchema): JsonSchema | undefined {
  const type = schema['type']
  if (Array.isArray(schema['anyOf'])) return toStrictChoice(schema)
  if (type === 'object') return toStrictObject(schema)
  if (type === 'array') {
    const items = toStrictSchema((schema['items'] ?? {}) as JsonSchema)
    return items && { type, ...pickStrictKeywords(schema), items }
  }
  return type === undefined ? undefined : { type, ...pickStrictKeywords(schema) }
}

function toStrictObject(schema: JsonSchema): JsonSchema | undefined {
  const { properties } = schema as { properties?: Record<string, JsonSchema> }
  const isOpen = schema['additionalProperties'] !== false
  if (properties === undefined || isOpen) return undefined
  const required = new Set(schema['required'] as string[] | undefined)
  const strict: Record<string, JsonSchema> = {}
  for (const [name, each] of Object.entries(properties)) {
    const inner = toStrictSchema(each)
    if (!inner) return undefined
    strict[name] = required.has(name) ? inner : makeNullable(inner)
  }
  return {
    type: 'object',
    ...pickStrictKeywords(schema),
    properties: strict,
    required: Object.keys(strict),
    additionalProperties: false,
  }
}

function toStrictChoice(schema: JsonSchema): JsonSchema | undefined {
  const choices = (schema['anyOf'] as JsonSchema[]).map(toStrictSchema)
  if (choices.includes(undefined)) return undefined
  return { ...pickStrictKeywords(schema), anyOf: choices }
}

function makeNullable(schema: JsonSchema): JsonSchema {
  if (Array.isArray(schema['anyOf'])) {
    return { ...schema, anyOf: [...(schema['anyOf'] as JsonSchema[]), { type: 'null' }] }
  }
  const values = schema['enum']
  return {
    ...schema,
    type: [schema['type'], 'null'],
    ...(Array.isArray(values) && { enum: [...(values as unknown[]), null] }),
  }
}

function pickStrictKeywords(schema: JsonSchema): JsonSchema {
  return Object.fromEntries(
    Object.entries(schema).filter(
      ([key, value]) =>
        STRICT_KEYWORDS.has(key) &&
        !(key === 'enum' && (value as unknown[]).length > MAX_ENUM_VALUES),
    ),
  )
}
