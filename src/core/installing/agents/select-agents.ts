import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { SkillsError } from '../../../errors.ts'
import type { InstallPlaces } from '../install-places.ts'
import { resolveAgentFolder, resolveUserFolder } from './agent-folder.ts'
import { AGENTS, findAgent, type AgentDefinition } from './agent-table.ts'
import type { AgentMode, LockedAgent } from './locked-agent.ts'

interface AgentRequest {
  /** Ids, `all` or `detected`. */
  names: readonly string[]
  mode: AgentMode
  home: string
  variables: InstallPlaces['variables']
}

export interface SelectedAgents {
  agents: readonly LockedAgent[]
  /** Names of the agents that read the shared folder, and need no place. */
  shared: readonly string[]
}

/** Agents of a command line, in the order of the table. */
export function selectAgents(
  places: InstallPlaces,
  { names, mode, home, variables }: AgentRequest,
): SelectedAgents {
  for (const name of names) {
    if (name !== 'all' && name !== 'detected' && !findAgent(name)) throw unknownError(name)
  }
  const chosen = AGENTS.filter(
    (agent) =>
      names.includes('all') ||
      names.includes(agent.id) ||
      (names.includes('detected') && isUsed(agent, { home, variables })),
  )
  if (names.length > 0 && chosen.length === 0) {
    throw new SkillsError('usage/invalid', 'No agent is detected on this machine', {
      hint: `Name one: --agent ${AGENTS[0]?.id}`,
    })
  }
  const own = chosen.filter((agent) => resolveAgentFolder(places, agent) !== undefined)
  return {
    agents: own.map(({ id }) => ({ agent: id, mode })),
    shared: chosen.filter((agent) => !own.includes(agent)).map(({ name }) => name),
  }
}

/**
 * Agents that need a place of their own and seem to be used: in the project, by their folder in it, or by the user. A
 * folder through which nothing may be installed counts as none.
 */
export function listPresentAgents(
  places: InstallPlaces,
  { home, variables }: Pick<AgentRequest, 'home' | 'variables'>,
): readonly AgentDefinition[] {
  return AGENTS.filter((agent) => {
    const [folder = ''] = agent.project?.split('/') ?? []
    const isPresent =
      places.scope === 'project'
        ? folder !== '' && existsSync(join(places.base, folder))
        : isUsed(agent, { home, variables })
    try {
      return isPresent && resolveAgentFolder(places, agent) !== undefined
    } catch {
      return false
    }
  })
}

/** True if the user has used the agent on this machine. */
function isUsed(
  { trace }: AgentDefinition,
  { home, variables }: Pick<AgentRequest, 'home' | 'variables'>,
): boolean {
  return existsSync(resolveUserFolder(home, variables, trace).path)
}

function unknownError(name: string): SkillsError {
  const known = AGENTS.map(({ id }) => id).join(', ')
  return new SkillsError('usage/invalid', `"${name}" is not a known agent`, {
    hint: `Write "all", "detected", or one of ${known}`,
  })
}
