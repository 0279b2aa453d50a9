import { SkillsError } from '../../errors.ts'
import {
  toAiSdkDefinition,
  toAnthropicTool,
  toGeminiFunction,
  toMcpTool,
  toOpenAiChatTool,
  toOpenAiTool,
} from './provider-tools.ts'
import type { ToolDefinition } from './tool-definition.ts'
import { TOOL_FORMATS } from './tool-format-names.ts'

export { TOOL_FORMATS, type ToolFormat } from './tool-format-names.ts'

/** Converts definitions to a provider's request format. */
export async function formatTools(
  format: string,
  tools: readonly ToolDefinition[],
): Promise<unknown> {
  switch (format) {
    case 'openai':
      return tools.map(toOpenAiTool)
    case 'openai-chat':
      return tools.map(toOpenAiChatTool)
    case 'anthropic':
      return tools.map(toAnthropicTool)
    case 'gemini': {
      return [{ functionDeclarations: tools.map(toGeminiFunction) }]
    }
    case 'mcp':
      return tools.map(toMcpTool)
    case 'ai-sdk': {
      return Object.fromEntries(
        tools.map(toAiSdkDefinition).map(({ name, ...definition }) => [name, definition]),
      )
    }
    default:
      throw new SkillsError('usage/invalid', `Unknown tool format "${format}"`, {
        hint: `Choose one of ${TOOL_FORMATS.join(', ')}`,
      })
  }
}
