import { createRuntime, loadConfig } from 'skills-protocol'
import { createAgentSession, localHost, type AgentSession } from 'skills-protocol/agent'

/** The user's message: the first argument of the command line. */
export const QUESTION = process.argv[2] ?? 'Greet Ada in German.'

/** Requests to the model before the program gives up. */
export const MAX_REQUESTS = 20

/** Lists the skills of the current project and opens a session that can load and run them. */
export async function openSession(): Promise<AgentSession> {
  const context = { cwd: process.cwd(), env: process.env }
  const { config } = await loadConfig(context)
  const host = localHost(createRuntime({ config }), { call: context })
  for (const { name, description } of await host.skills()) console.log(`${name}: ${description}`)
  return createAgentSession({
    host,
    tools: ['skill_load', 'skill_list_docs', 'skill_select_docs', 'execute_skill'],
  })
}
