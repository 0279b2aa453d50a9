import type { JsonValue } from '../../signing/envelope/strict-json.ts'
import { AGENTS, findAgent } from './agent-table.ts'

/** An agent that finds an installed skill in its own folder. */
export interface LockedAgent {
  /** Id in the table, which has the folder: a lock names no paths. */
  agent: string
  mode: AgentMode
}

/** `link`: relative, to the shared folder. */
export type AgentMode = 'link' | 'copy'

export function parseLockedAgents(value: JsonValue): LockedAgent[] | undefined {
  if (value.isAbsent) return undefined
  const agents = value.list(AGENTS.length).map((each) => {
    each.only('agent', 'mode')
    const agent = each.at('agent')
    if (findAgent(agent.text()) === undefined) throw agent.refuse('an agent that is known here')
    const mode = each.at('mode').matching(/^(?:link|copy)$/, 'link or copy') as AgentMode
    return { agent: agent.text(), mode }
  })
  const names = agents.map(({ agent }) => agent)
  if (new Set(names).size < names.length) throw value.refuse('each agent once')
  return agents
}

/** Adds agents to those of a skill; another mode replaces the one before. Sorted. */
export function mergeAgents(
  before: readonly LockedAgent[],
  more: readonly LockedAgent[],
): LockedAgent[] {
  const merged = new Map([...before, ...more].map((each) => [each.agent, each]))
  return [...merged.values()].toSorted((a, b) => (a.agent < b.agent ? -1 : 1))
}
