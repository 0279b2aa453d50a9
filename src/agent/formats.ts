import { SkillsError } from '../errors.ts'
import type { ToolDefinition } from './tool-definition.ts'

/** Formats for exporting tools as plain data. */
export const TOOL_FORMATS = [
  'openai',
  'openai-chat',
  'anthropic',
  'gemini',
  'mcp',
  'ai-sdk',
] as const
export type ToolFormat = (typeof TOOL_FORMATS)[number]

/** Converts definitions to a provider's request format. */
export async function formatTools(
  format: string,
  tools: readonly ToolDefinition[],
): Promise<unknown> {
  switch (format) {
    case 'openai':
      return tools.map((await import('./adapters/openai-responses.ts')).toOpenAiTool)
    case 'openai-chat':
      return tools.map((await import('./adapters/openai-chat.ts')).toOpenAiChatTool)
    case 'anthropic':
      return tools.map((await import('./adapters/anthropic.ts')).toAnthropicTool)
    case 'gemini': {
      const { toGeminiFunction } = await import('./adapters/gemini.ts')
      return [{ functionDeclarations: tools.map(toGeminiFunction) }]
    }
    case 'mcp':
      return tools.map((await import('./adapters/mcp.ts')).toMcpTool)
    case 'ai-sdk': {
      const { toAiSdkDefinition } = await import('./adapters/ai-sdk.ts')
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
