import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import { resolveAgentFolder, resolveUserFolder } from './agent-folder.ts'
import { AGENTS, findAgent, type AgentDefinition } from './agent-table.ts'
import type { LockedAgent } from './locked-agent.ts'
import type { InstallPlaces, Variables } from '../install-places.ts'
import type { Installer } from '../installer/installer.ts'
import { SkillsError } from '../../../errors.ts'

/** Agents of the caller, or else of the configuration, in the order of the table, that need a link or a copy. */
export function chooseAgents(
  { places, env, options, caller }: Installer,
  configured: readonly string[] = [],
): readonly LockedAgent[] {
  const names = options.agents.length > 0 ? options.agents : configured
  if (options.copy && names.length === 0) {
    throw new SkillsError('usage/invalid', '--copy needs --agent', {
      hint: 'Type --agent claude-code --copy, or omit --copy',
    })
  }
  const chosen = findAgents(names, env)
  if (options.agents.length > 0 && chosen.length === 0) {
    throw new SkillsError('usage/invalid', 'No agent is detected on this machine', {
      hint: `Name one: --agent ${AGENTS[0]?.id}`,
    })
  }
  const folders = new Map(chosen.map((agent) => [agent, resolveAgentFolder(places, agent)]))
  const shared = chosen.filter((agent) => folders.get(agent) === undefined)
  if (shared.length > 0) {
    const verb = shared.length === 1 ? 'reads' : 'read'
    const shown = shared.map(({ name }) => name).join(', ')
    caller.note(`${shown} ${verb} .agents/skills without a link`)
  }
  const mode = options.copy ? 'copy' : 'link'
  return removeSharers(chosen, folders).map(({ id }) => ({ agent: id, mode }))
}

function findAgents(names: readonly string[], env: Variables): readonly AgentDefinition[] {
  for (const name of names) {
    if (name !== 'all' && name !== 'detected' && !findAgent(name)) throw unknownError(name)
  }
  return AGENTS.filter(
    (agent) =>
      names.includes('all') ||
      names.includes(agent.id) ||
      (names.includes('detected') && isUsed(agent, env)),
  )
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
  env: Variables,
): readonly AgentDefinition[] {
  const present = AGENTS.filter((agent) =>
    places.scope === 'project' ? isMarked(places, agent) : isUsed(agent, env),
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
function isUsed({ trace }: AgentDefinition, env: Variables): boolean {
  const home = env['HOME'] || homedir()
  return trace !== undefined && existsSync(resolveUserFolder(home, env, trace).path)
}

function unknownError(name: string): SkillsError {
  const known = AGENTS.map(({ id }) => id).join(', ')
  return new SkillsError('usage/invalid', `"${name}" is not a known agent`, {
    hint: `Write "all", "detected", or one of ${known}`,
  })
}
