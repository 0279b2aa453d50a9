// The tools of a session as tools of LangChain: createAgent({ model, tools: await skillTools(session) }).
import { tool, type StructuredToolInterface } from '@langchain/core/tools'
import type { AgentSession } from 'skills-protocol/agent'

/** Names of tools may contain dots, which model APIs refuse. */
export async function skillTools(session: AgentSession): Promise<StructuredToolInterface[]> {
  const definitions = await session.tools()
  return definitions.map(({ name, description, parameters }) =>
    tool(
      async (input, config) => {
        const id = config?.toolCall?.id ?? crypto.randomUUID()
        const { text } = await session.call({ id, name, arguments: input })
        return text
      },
      { name: name.replaceAll('.', '_'), description, schema: parameters },
    ),
  )
}
