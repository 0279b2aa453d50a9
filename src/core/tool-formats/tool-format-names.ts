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
