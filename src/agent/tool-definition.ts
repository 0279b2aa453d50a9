import { z } from 'zod'
import type { Method } from '../core/methods/method.ts'
import { simplifySchema, type JsonSchema } from './schemas/plain-schema.ts'

/** A tool as every format begins with it. */
export interface ToolDefinition {
  /** As on the wire; formats that allow no dots map it, see `toProviderName`. */
  name: string
  description: string
  /** An object schema, without what the caller's side gives. */
  parameters: JsonSchema
  /** Of what the tool answers. */
  result: JsonSchema
  readOnly: boolean
}

/** Names beyond this are not listed in a schema: what providers take is bounded. */
export const MAX_NAMES_IN_SCHEMA = 256

/** Describes a tool; known names of skills become the only values of its parameter `skill`. */
export function defineTool(method: Method, skills: readonly string[] = []): ToolDefinition {
  const parameters = getToolSchema(method.params, 'input')
  const properties = { ...(parameters['properties'] as Record<string, JsonSchema>) }
  const hidden = new Set(method.callerParams)
  for (const name of hidden) delete properties[name]
  const names = [...new Set(skills.map((each) => each.trim()))].filter((each) => each !== '').sort()
  const skill = properties['skill']
  if (skill && names.length > 0 && names.length <= MAX_NAMES_IN_SCHEMA) {
    properties['skill'] = { ...skill, enum: names }
  }
  const required = (parameters['required'] as string[] | undefined)?.filter(
    (name) => !hidden.has(name),
  )
  const { required: _, ...rest } = parameters
  return {
    name: method.name,
    description: method.description,
    parameters: {
      ...rest,
      properties,
      ...(required && required.length > 0 && { required }),
    },
    result: getToolSchema(method.result, 'output'),
    readOnly: method.effect === 'read',
  }
}

/** What only the caller can give, and has to. */
export function listRequiredCallerParams(method: Method): string[] {
  const required = getToolSchema(method.params, 'input')['required'] as string[] | undefined
  return (required ?? []).filter((name) => method.callerParams?.includes(name))
}

const SCHEMA_CACHE = new WeakMap<z.ZodType, JsonSchema>()

function getToolSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const known = SCHEMA_CACHE.get(schema)
  if (known) return known
  const plain = simplifySchema(z.toJSONSchema(schema, { io, unrepresentable: 'any' }))
  SCHEMA_CACHE.set(schema, plain)
  return plain
}
