import type { McpServer } from '@modelcontextprotocol/server'
import type { ToolCaller } from '../rpc/tool-caller.ts'

/** Listing entry of the prompt. */
export const GUIDE_PROMPT = {
  name: 'skills-protocol-guide',
  title: 'Skills Protocol Guide',
  description: 'How to find, read, run and combine skills with these tools',
} as const

/** Offers the guide as a prompt, for clients that show prompts to users. */
export function addGuidePrompt(server: McpServer, { runtime }: ToolCaller): void {
  const { name, ...listing } = GUIDE_PROMPT
  server.registerPrompt(name, listing, async () => {
    const { content: text } = await runtime.loadSkillsProtocolGuide()
    return { messages: [{ role: 'user', content: { type: 'text', text } }] }
  })
}
