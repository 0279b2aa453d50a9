import type { JsonSchema } from '../schemas/plain-schema.ts'
import type { ToolDefinition } from '../tool-definition.ts'

/** A tool as the Model Context Protocol lists it. */
export interface McpTool {
  name: string
  description: string
  inputSchema: JsonSchema
  outputSchema?: JsonSchema
  annotations: { readOnlyHint: boolean }
}

/** One definition in the format of `tools/list`; only objects have an output schema there. */
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
