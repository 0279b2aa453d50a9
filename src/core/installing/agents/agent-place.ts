import { SkillsError } from '../../../errors.ts'
import { lstatSync, readlinkSync, realpathSync } from 'node:fs'
import { join, relative } from 'node:path'
import { digestFolder } from '../../skills/content/read-content.ts'
import type { InstallPlaces } from '../install-places.ts'
import type { LockedSkill } from '../lock-file.ts'
import { resolveAgentFolder } from './agent-folder.ts'
import { findAgent } from './agent-table.ts'
import type { AgentMode, LockedAgent } from './locked-agent.ts'

/** Place of an installed skill in the folder of an agent. */
export interface AgentPlace {
  agent: string
  mode: AgentMode
  /** Folder of the agent, without links. */
  folder: string
  path: string
  /** Text of the link. */
  target: string
}

/** Places of a skill; agents that read the shared folder have none. Places that two agents share are there once. */
export function listAgentPlaces(
  places: InstallPlaces,
  skill: Pick<LockedSkill, 'folder' | 'agents'> | undefined,
): AgentPlace[] {
  const found = (skill?.agents ?? []).flatMap((each) =>
    locateAgentPlace(places, skill?.folder ?? '', each),
  )
  return found.filter(({ path }, at) => found.findIndex((each) => each.path === path) === at)
}

function locateAgentPlace(
  places: InstallPlaces,
  name: string,
  { agent, mode }: LockedAgent,
): AgentPlace | [] {
  const definition = findAgent(agent)
  const folder = definition && resolveAgentFolder(places, definition)
  if (folder === undefined) return []
  // A relative link survives a move or a clone of the project.
  const skills = join(realpathSync.native(places.base), relative(places.base, places.skills))
  const target = relative(folder, join(skills, name))
  return { agent, mode, folder, path: join(folder, name), target }
}

export type AgentPlaceState = 'unchanged' | 'missing' | 'changed' | 'outside'

/** Compares a place with what was installed there. */
export async function checkAgentPlace(
  { path, mode, target }: AgentPlace,
  tree: string,
): Promise<Exclude<AgentPlaceState, 'outside'>> {
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (!stat) return 'missing'
  const isSame =
    mode === 'link'
      ? stat.isSymbolicLink() && readlinkSync(path) === target
      : (await digestPlace(path)) === tree
  return isSame ? 'unchanged' : 'changed'
}

/** The digest of a folder; undefined for other files, and for a folder that cannot be a skill. */
export async function digestPlace(path: string): Promise<string | undefined> {
  if (lstatSync(path, { throwIfNoEntry: false })?.isDirectory() !== true) return undefined
  try {
    return await digestFolder(path)
  } catch (thrown) {
    if (thrown instanceof SkillsError && thrown.code !== 'host/exhausted') return undefined
    throw thrown
  }
}

/** A place in a report, and its state. */
export interface CheckedAgent {
  agent: string
  mode: AgentMode
  path: string
  state: AgentPlaceState
}

/** Compares the places of a skill with the lock. Changes nothing. */
export async function checkAgents(
  places: InstallPlaces,
  skill: LockedSkill,
): Promise<CheckedAgent[]> {
  const checked: CheckedAgent[] = []
  for (const { agent, mode } of skill.agents ?? []) {
    try {
      for (const place of listAgentPlaces(places, { ...skill, agents: [{ agent, mode }] })) {
        const path = relative(realpathSync.native(places.base), place.path)
        checked.push({ agent, mode, path, state: await checkAgentPlace(place, skill.tree) })
      }
    } catch (thrown) {
      if (!(thrown instanceof SkillsError) || thrown.code !== 'file/outside') throw thrown
      checked.push({ agent, mode, path: agent, state: 'outside' })
    }
  }
  return checked
}
