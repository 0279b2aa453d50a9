/** Formats of tools, and the products that take them. */
export const VENDORS = {
  openai: 'OpenAI, Responses',
  'openai-chat': 'OpenAI, Chat Completions',
  anthropic: 'Anthropic, Messages',
  gemini: 'Gemini',
  mcp: 'MCP',
  'ai-sdk': 'AI SDK',
} as const

export type Vendor = keyof typeof VENDORS

/** Reads the vendor of an address. */
export function readVendor(search: URLSearchParams): Vendor {
  const written = search.get('vendor') ?? 'openai'
  return (Object.hasOwn(VENDORS, written) ? written : 'openai') as Vendor
}
