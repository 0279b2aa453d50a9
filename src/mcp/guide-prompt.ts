import type { McpServer } from '@modelcontextprotocol/server'
import type { ToolCaller } from '../rpc/tool-caller.ts'

const NAME = 'skills-protocol-guide'

/** The guide, for clients that offer prompts to people. */
export function addGuidePrompt(server: McpServer, { runtime }: ToolCaller): void {
  server.registerPrompt(
    NAME,
    {
      title: 'Skills Protocol Guide',
      description: 'How to find, read, run and combine skills with these tools',
    },
    async () => {
      const { content: text } = await runtime.loadSkillsProtocolGuide()
      return { messages: [{ role: 'user', content: { type: 'text', text } }] }
    },
  )
}
