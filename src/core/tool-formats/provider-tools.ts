import { toGeminiSchema, type GeminiSchema } from './gemini-schema.ts'
import type { JsonSchema } from './plain-schema.ts'
import { toStrictSchema } from './strict-schema.ts'
import type { ToolDefinition } from './tool-definition.ts'
import { toProviderName } from './tool-names.ts'

/** A tool in the format of the Messages API. */
export interface AnthropicTool {
  name: string
  description: string
  input_schema: { type: 'object'; properties: Record<string, unknown>; [key: string]: unknown }
}

/** Converts one definition to the format of the Messages API. */
export function toAnthropicTool({ name, description, parameters }: ToolDefinition): AnthropicTool {
  return { name: toProviderName(name), description, input_schema: parameters as never }
}

/** A tool in the format of Chat Completions. */
export interface OpenAiChatTool {
  type: 'function'
  function: {
    name: string
    description: string
    parameters: Record<string, unknown>
    strict: boolean
  }
}

/** Converts one definition to the format of Chat Completions; strict if its schema allows it. */
export function toOpenAiChatTool(tool: ToolDefinition): OpenAiChatTool {
  return { type: 'function', function: toOpenAiFunction(tool) }
}

/** The function description that both OpenAI formats share. */
export function toOpenAiFunction({ name, description, parameters }: ToolDefinition): {
  name: string
  description: string
  parameters: Record<string, unknown>
  strict: boolean
} {
  const strict: JsonSchema | undefined = toStrictSchema(parameters)
  return {
    name: toProviderName(name),
    description,
    parameters: { ...(strict ?? parameters) },
    strict: strict !== undefined,
  }
}

/** A tool in the format of the Responses API. */
export interface OpenAiTool {
  type: 'function'
  name: string
  description: string
  parameters: Record<string, unknown>
  strict: boolean
}

/** Converts one definition to the format of the Responses API; strict if its schema allows it. */
export function toOpenAiTool(tool: ToolDefinition): OpenAiTool {
  return { type: 'function', ...toOpenAiFunction(tool) }
}

/** A function in Gemini's format; `parameters` is omitted when there are none. */
export interface GeminiFunction {
  name: string
  description: string
  parameters?: GeminiSchema
}

/** Converts one definition to the format of the Gemini API. */
export function toGeminiFunction({
  name,
  description,
  parameters,
}: ToolDefinition): GeminiFunction {
  const { properties = {} } = parameters as { properties?: object }
  const hasParameters = Object.keys(properties).length > 0
  return {
    name: toProviderName(name),
    description,
    ...(hasParameters && { parameters: toGeminiSchema(parameters) }),
  }
}

/** A tool as the Model Context Protocol lists it. */
export interface McpTool {
  name: string
  description: string
  inputSchema: JsonSchema
  outputSchema?: JsonSchema
  annotations: { readOnlyHint: boolean }
}

/**
 * Converts one definition to the format of `tools/list`, which allows output schemas only for
 * objects.
 */
export function toMcpTool({
  name,
  description,
  parameters,
  result,
  readOnly,
}: ToolDefinition): McpTool {
  return {
    name,
    description,
    inputSchema: parameters,
    ...(result['type'] === 'object' && { outputSchema: result }),
    annotations: { readOnlyHint: readOnly },
  }
}

/** One definition as plain data, for `tool({ …, inputSchema: jsonSchema(inputSchema) })`. */
export function toAiSdkDefinition({ name, description, parameters }: ToolDefinition): {
  name: string
  description: string
  inputSchema: JsonSchema
} {
  return { name: toProviderName(name), description, inputSchema: parameters }
}
