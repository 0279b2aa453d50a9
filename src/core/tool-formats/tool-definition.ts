import { z } from 'zod'
import { hideCallerResults } from './caller-results.ts'
import { describeTool, type CommandRules } from '../skill-context/prompt/command-rules.ts'
import type { Method } from '../methods/method.ts'
import { listHiddenParams } from './hidden-params.ts'
import { simplifySchema, type JsonSchema } from './plain-schema.ts'

/** Provider-independent definition of a tool. */
export interface ToolDefinition {
  /** Name in the protocol; formats without dots map it, see `toProviderName`. */
  name: string
  description: string
  /** Object schema without the parameters that the caller sets. */
  parameters: JsonSchema
  /** Schema of the tool's result. */
  result: JsonSchema
  readOnly: boolean
}

/** Names beyond this limit are omitted from the schema: providers limit its size. */
export const MAX_NAMES_IN_SCHEMA = 256

export interface ToolContext {
  /** Names of skills, which become the allowed values of the parameter `skill`. */
  skills?: readonly string[]
  /** Rules of the operator for commands. */
  rules?: CommandRules | undefined
  /** Names of all offered tools. */
  offered?: ReadonlySet<string>
}

export function defineTool(
  method: Method,
  { skills = [], rules, offered }: ToolContext = {},
): ToolDefinition {
  const parameters = getToolSchema(method.params, 'input')
  const properties = { ...(parameters['properties'] as Record<string, JsonSchema>) }
  const hiddenNames = listHiddenParams(method, offered)
  for (const name of hiddenNames) delete properties[name]
  const names = [...new Set(skills.map((each) => each.trim()))].filter((each) => each !== '').sort()
  const skill = properties['skill']
  if (skill && names.length > 0 && names.length <= MAX_NAMES_IN_SCHEMA) {
    properties['skill'] = { ...skill, enum: names }
  }
  const required = (parameters['required'] as string[] | undefined)?.filter(
    (name) => !hiddenNames.has(name),
  )
  const { required: _, ...rest } = parameters
  return {
    name: method.name,
    description: describeTool(method, rules),
    parameters: {
      ...rest,
      properties,
      ...(required && required.length > 0 && { required }),
    },
    result: hideCallerResults(method, getToolSchema(method.result, 'output')),
    readOnly: method.effect === 'read',
  }
}

/** Required parameters that only the caller can set. */
export function listRequiredCallerParams(method: Method): string[] {
  const required = getToolSchema(method.params, 'input')['required'] as string[] | undefined
  return (required ?? []).filter((name) => method.callerParams?.includes(name))
}

/** Tools that keep the files or the kernels of a session. */
const SESSION_TOOL = /^(?:workspace_|skill_(?:run|exec)$|kernel$)/

/** True if calls get their session: methods of sessions always, code beside tools that keep one. */
export function takesSession(method: Method, offered: Iterable<string>): boolean {
  if (method.callerParams?.includes('session') !== true) return false
  if (listRequiredCallerParams(method).includes('session')) return true
  return [...offered].some((name) => SESSION_TOOL.test(name))
}

const SCHEMA_CACHE = new WeakMap<z.ZodType, JsonSchema>()

function getToolSchema(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
  const cached = SCHEMA_CACHE.get(schema)
  if (cached) return cached
  const plain = simplifySchema(z.toJSONSchema(schema, { io, unrepresentable: 'any' }))
  SCHEMA_CACHE.set(schema, plain)
  return plain
}
