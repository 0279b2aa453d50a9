import type { Method } from '../core/methods/method.ts'
import { splitResult } from '../core/tool-formats/caller-results.ts'
import { checkParams } from '../rpc/check-params.ts'
import { selectCallerHint } from '../rpc/error-object.ts'
import { repairJson, type RepairedJson } from './repair-json.ts'
import { SkillsError, toSkillsError } from '../errors.ts'
import type { SessionArtifact } from './session-artifacts.ts'
import type { JsonSchema } from '../core/tool-formats/plain-schema.ts'
import { defineTool, listRequiredCallerParams } from '../core/tool-formats/tool-definition.ts'

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
  /** Mistakes in the text of the arguments that were corrected, such as a trailing comma. */
  repairs?: readonly string[]
  /** Versions of artifacts that the call saved. */
  artifacts?: readonly SessionArtifact[]
  isError: boolean
}

/** Valid arguments, and the mistakes that were corrected in their text. */
export interface ParsedArguments {
  params: Record<string, unknown>
  repairs: readonly string[]
}

/**
 * Validates a model's arguments against the tool's schema. Parameters of the caller are rejected.
 */
export function parseToolArguments(method: Method, input: unknown): ParsedArguments {
  const { value: args, repairs } = toArgumentObject(input)
  const foreign = Object.keys(args).find((name) => isCallerParameter(method, name))
  if (foreign !== undefined) {
    throw new SkillsError('params/invalid', `Invalid params: unknown parameter '${foreign}'`)
  }
  const own = Object.fromEntries(listRequiredCallerParams(method).map((name) => [name, 'model']))
  const { properties = {} } = defineTool(method).parameters
  const read = checkParams(method, { ...unpackTextArguments(args, properties as never), ...own })
  const checked = { ...(read as Record<string, unknown>) }
  for (const name of method.callerParams ?? []) delete checked[name]
  return { params: checked, repairs }
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
  { result, repairs, maskPaths }: ToolResult,
): ToolAnswer {
  const { value: full, details } = splitResult(method, result)
  const value = maskWarnings(full, maskPaths)
  const text = typeof value === 'string' ? value : JSON.stringify(value ?? null)
  return {
    id,
    name,
    text: repairs.length === 0 ? text : `${text}\n\n${describeRepairs(repairs)}`,
    value,
    isError: false,
    ...(repairs.length > 0 && { repairs }),
    ...(details && { details }),
  }
}

/** The result of a tool, before it is written for a model. */
interface ToolResult {
  result: unknown
  repairs: readonly string[]
  maskPaths: (text: string) => string
}

function describeRepairs(repairs: readonly string[]): string {
  return `Note: the arguments were not valid JSON, and were read without ${repairs.join(' and ')}. Write plain JSON.`
}

/** Warnings come from this process, unlike the output of a program. */
function maskWarnings(value: unknown, maskPaths: (text: string) => string): unknown {
  if (typeof value !== 'object' || value === null || !('warnings' in value)) return value
  const { warnings } = value
  if (!Array.isArray(warnings)) return value
  return { ...value, warnings: warnings.map((each) => maskPaths(String(each))) }
}

/** Builds the answer of a failed call: message and hint. */
export function toToolError(
  { id, name }: ToolCall,
  thrown: unknown,
  maskPaths: (text: string) => string,
): ToolAnswer {
  const error = toSkillsError(thrown)
  const hint = selectCallerHint(error)
  const text = hint === undefined ? error.message : `${error.message}. ${hint}`
  return { id, name, text: `Error: ${maskPaths(text)}`, value: undefined, isError: true }
}

function toArgumentObject(input: unknown): RepairedJson & { value: Record<string, unknown> } {
  if (input === undefined || input === null || input === '') return { value: {}, repairs: [] }
  const { value, repairs } =
    typeof input === 'string' ? readArguments(input) : { value: input, repairs: [] }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    return { value: value as Record<string, unknown>, repairs }
  }
  throw new SkillsError('params/invalid', 'invalid args: expected a JSON object')
}

function parseJsonArguments(text: string): unknown {
  return readArguments(text).value
}

function readArguments(text: string): RepairedJson {
  try {
    return { value: JSON.parse(text) as unknown, repairs: [] }
  } catch (error) {
    const repaired = repairJson(text)
    if (repaired) return repaired
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
