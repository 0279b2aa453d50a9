import type { McpServer } from '@modelcontextprotocol/server'
import type { ToolCaller } from '../../rpc/tool-caller.ts'
import { GUIDE_PROMPT } from './prompt-listings.ts'

/** Offers the guide as a prompt, for clients that show prompts to users. */
export function addGuidePrompt(server: McpServer, { runtime }: ToolCaller): void {
  const { name, ...listing } = GUIDE_PROMPT
  server.registerPrompt(name, listing, async () => {
    const { content: text } = await runtime.loadSkillsProtocolGuide()
    return { messages: [{ role: 'user', content: { type: 'text', text } }] }
  })
}
