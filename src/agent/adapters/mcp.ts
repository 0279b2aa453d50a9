import { readMcpFile } from '../files/provider-files.ts'
import type { SessionFile } from '../files/session-file.ts'
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

/**
 * Files among the content blocks of the Model Context Protocol, such as those of a prompt, for
 * `session.addFiles`.
 */
export function readMcpFiles(content: object | readonly object[]): SessionFile[] {
  const blocks: readonly object[] = Array.isArray(content) ? content : [content]
  return blocks.flatMap((block) => readMcpFile(block as never) ?? [])
}
