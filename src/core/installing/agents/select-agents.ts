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
  /** True if `detected` may select none. */
  mayBeNone?: boolean
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
  { names, mode, mayBeNone = false, home, variables }: AgentRequest,
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
  if (names.length > 0 && chosen.length === 0 && !mayBeNone) {
    throw new SkillsError('usage/invalid', 'No agent is detected on this machine', {
      hint: `Name one: --agent ${AGENTS[0]?.id}`,
    })
  }
  const folders = new Map(chosen.map((agent) => [agent, resolveAgentFolder(places, agent)]))
  return {
    agents: removeSharers(chosen, folders).map(({ id }) => ({ agent: id, mode })),
    shared: chosen.filter((agent) => folders.get(agent) === undefined).map(({ name }) => name),
  }
}

/** Agents with a folder of their own; of several that read one folder, the first. */
function removeSharers(
  agents: readonly AgentDefinition[],
  folders: ReadonlyMap<AgentDefinition, string | undefined>,
): AgentDefinition[] {
  const first = new Map(agents.toReversed().map((agent) => [folders.get(agent), agent]))
  return agents.filter((agent) => {
    const folder = folders.get(agent)
    return folder !== undefined && first.get(folder) === agent
  })
}

/**
 * Agents that need a place of their own and seem to be used: in the project, by their folder in it, or by the user. A
 * folder through which nothing may be installed counts as none.
 */
export function listPresentAgents(
  places: InstallPlaces,
  { home, variables }: Pick<AgentRequest, 'home' | 'variables'>,
): readonly AgentDefinition[] {
  const present = AGENTS.filter((agent) =>
    places.scope === 'project' ? isMarked(places, agent) : isUsed(agent, { home, variables }),
  )
  const folders = new Map(
    present.map((agent) => {
      try {
        return [agent, resolveAgentFolder(places, agent)]
      } catch {
        return [agent, undefined]
      }
    }),
  )
  return removeSharers(present, folders)
}

/** True if the project has the agent's folder; one without a leading dot may be of anything. */
function isMarked({ base }: InstallPlaces, { project = '' }: AgentDefinition): boolean {
  const [folder = ''] = project.split('/')
  return folder.startsWith('.') && existsSync(join(base, folder))
}

/** True if the user has used the agent on this machine. */
function isUsed(
  { trace }: AgentDefinition,
  { home, variables }: Pick<AgentRequest, 'home' | 'variables'>,
): boolean {
  return trace !== undefined && existsSync(resolveUserFolder(home, variables, trace).path)
}

function unknownError(name: string): SkillsError {
  const known = AGENTS.map(({ id }) => id).join(', ')
  return new SkillsError('usage/invalid', `"${name}" is not a known agent`, {
    hint: `Write "all", "detected", or one of ${known}`,
  })
}
