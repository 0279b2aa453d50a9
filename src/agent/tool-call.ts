import type { Method } from '../core/methods/method.ts'
import { splitResult } from '../core/methods/caller-results.ts'
import { checkParams } from '../rpc/check-params.ts'
import { selectCallerHint } from '../rpc/error-object.ts'
import { SkillsError, toSkillsError } from '../errors.ts'
import type { JsonSchema } from './schemas/plain-schema.ts'
import { defineTool, listRequiredCallerParams } from './tool-definition.ts'

/** A model's tool call. */
export interface ToolCall {
  /** The id as the provider sent it; loaded content is attached to its result. */
  id: string
  name: string
  /** An object or its JSON text. */
  arguments: unknown
}

export interface ToolAnswer {
  id: string
  name: string
  /** Text for the model. */
  text: string
  /** The tool's result as the model sees it; undefined on failure. */
  value: unknown
  /** Fields of the result for the application, such as the `isolation` of a run. */
  details?: Record<string, unknown>
  isError: boolean
}

/**
 * Validates a model's arguments against the tool's schema. Parameters of the caller are rejected.
 */
export function parseToolArguments(method: Method, input: unknown): Record<string, unknown> {
  const args = toArgumentObject(input)
  const foreign = Object.keys(args).find((name) => isCallerParameter(method, name))
  if (foreign !== undefined) {
    throw new SkillsError('params/invalid', `Invalid params: unknown parameter '${foreign}'`)
  }
  const own = Object.fromEntries(listRequiredCallerParams(method).map((name) => [name, 'model']))
  const { properties = {} } = defineTool(method).parameters
  const read = checkParams(method, { ...unpackTextArguments(args, properties as never), ...own })
  const checked = { ...(read as Record<string, unknown>) }
  for (const name of method.callerParams ?? []) delete checked[name]
  return checked
}

/** True if a name, in any spelling, is a parameter that only the caller may set. */
function isCallerParameter({ callerParams = [], spellings = {} }: Method, name: string): boolean {
  const plain = (word: string) => word.replaceAll('_', '').toLowerCase()
  const canonicalName = Object.hasOwn(spellings, name) ? spellings[name] : name
  return callerParams.some((each) => plain(each) === plain(canonicalName ?? name))
}

/** Builds the answer of a successful call. */
export function toToolAnswer(
  { id, name }: ToolCall,
  method: Pick<Method, 'callerResults'>,
  result: unknown,
): ToolAnswer {
  const { value, details } = splitResult(method, result)
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  return { id, name, text, value, isError: false, ...(details && { details }) }
}

/** Builds the answer of a failed call: message and hint. */
export function toToolError({ id, name }: ToolCall, thrown: unknown): ToolAnswer {
  const error = toSkillsError(thrown)
  const hint = selectCallerHint(error)
  const text = hint === undefined ? error.message : `${error.message}. ${hint}`
  return { id, name, text: `Error: ${text}`, value: undefined, isError: true }
}

function toArgumentObject(input: unknown): Record<string, unknown> {
  if (input === undefined || input === null || input === '') return {}
  const value = typeof input === 'string' ? parseJsonArguments(input) : input
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>
  }
  throw new SkillsError('params/invalid', 'invalid args: expected a JSON object')
}

function parseJsonArguments(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new SkillsError('params/invalid', `invalid args: ${(error as Error).message}`)
  }
}

/**
 * Parses object parameters that arrive as JSON text: some formats have no open objects, and some
 * models send text anyway.
 */
function unpackTextArguments(
  args: Record<string, unknown>,
  properties: Readonly<Record<string, JsonSchema>>,
): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(args).map(([name, value]) => {
      const isObject = Object.hasOwn(properties, name) && properties[name]?.['type'] === 'object'
      if (!isObject || typeof value !== 'string' || !value.trim().startsWith('{')) {
        return [name, value]
      }
      return [name, parseJsonArguments(value)]
    }),
  )
}
