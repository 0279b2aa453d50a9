import { z } from 'zod'
import type { Method } from '../core/methods/method.ts'
import { plainSchema, type JsonSchema } from './schemas/plain-schema.ts'

/** A tool as every format begins with it. */
export interface ToolDefinition {
  /** As on the wire; formats that allow no dots map it, see `toWireName`. */
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
  const parameters = schemaOf(method.params, 'input')
  const properties = { ...(parameters['properties'] as Record<string, JsonSchema>) }
  const hidden = new Set(method.ofCaller)
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
    result: schemaOf(method.result, 'output'),
    readOnly: method.effect === 'read',
  }
}

/** What only the caller can give, and has to. */
export function requiredOfCaller(method: Method): string[] {
  const required = schemaOf(method.params, 'input')['required'] as string[] | undefined
  return (required ?? []).filter((name) => method.ofCaller?.includes(name))
}

const KNOWN = new WeakMap<z.ZodType, JsonSchema>()

function schemaOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const known = KNOWN.get(schema)
  if (known) return known
  const plain = plainSchema(z.toJSONSchema(schema, { io, unrepresentable: 'any' }))
  KNOWN.set(schema, plain)
  return plain
}
