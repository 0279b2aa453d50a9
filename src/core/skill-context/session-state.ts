import { splitReference } from '../skills/reference.ts'
/** What a session remembers of the skills that its agents loaded: plain data, safe to store as JSON. */
export interface SessionState {
  version: 1
  agents: AgentLoads[]
}

/** The loads of one agent; agents that share a session do not see each other's. */
export interface AgentLoads {
  agent: string
  /** The one that was touched longest ago comes first. */
  skills: SkillLoad[]
  /** What requests show, in the order in which it was asked for: nothing is put before what is there. */
  parts: LoadedPart[]
  /** Names of skills that were loaded since the turn began. */
  fresh: string[]
  /** How long loads stay, where a caller over the wire said it: the library says it per session. */
  mode?: LoadMode
  /** At most so many stay loaded, said there as well. */
  maxLoaded?: number
  /** The turn that goes on, by the name that such a caller gave it. */
  turn?: string
  /** The last turns that ended, the newest last. */
  ended?: string[]
  /** The turn whose declared loads were made. */
  declared?: string
}

export const LOAD_MODES = ['turn', 'once', 'session'] as const
/** How long a load stays: for one turn, for one request, or until it is taken back. */
export type LoadMode = (typeof LOAD_MODES)[number]

export interface SkillLoad {
  name: string
  /** Its parts belong into requests now. */
  loaded: boolean
  /** It was loaded at some time in this session, so its commands may run. */
  read: boolean
  /** Selected docs, in the skill's order; "*" is all of them. */
  docs: '*' | string[]
}

/** A body or a document, and where in the conversation it was asked for. */
export interface LoadedPart {
  skill: string
  /** Null is the body. */
  doc: string | null
  /** Of the text as it was when it was loaded. */
  digest: string
  /** Id of the tool call that asked for it; null where no call did. */
  call: string | null
  /** How long the conversation was that first showed it, where it is shown once. */
  shownAt?: number
}

export const DEFAULT_AGENT = 'default'

export function createSessionState(): SessionState {
  return { version: 1, agents: [] }
}

function createAgentLoads(agent: string): AgentLoads {
  return { agent, skills: [], parts: [], fresh: [] }
}

/** What one agent has loaded; nothing where it never did. */
export function getAgentLoads(state: SessionState, agent: string): AgentLoads {
  return state.agents.find((each) => each.agent === agent) ?? createAgentLoads(agent)
}

/** Agents that a session remembers; the one that changed longest ago is forgotten. */
const MAX_AGENTS = 1000

/** The state with one agent's loads replaced; the agent that changed last comes last. */
export function replaceAgentLoads(state: SessionState, loads: AgentLoads): SessionState {
  const others = state.agents.filter((each) => each.agent !== loads.agent)
  return { ...state, agents: [...others, loads].slice(-MAX_AGENTS) }
}

/** Names of the skills whose content requests show now, the one touched longest ago first. */
export function listLoadedSkills(loads: AgentLoads): string[] {
  return loads.skills.filter((each) => each.loaded).map((each) => each.name)
}

/** Whether an agent loaded a skill, any version of it, so that its commands may run. */
export function hasReadSkill(loads: AgentLoads, skill: string): boolean {
  return loads.skills.some((each) => each.read && isSameSkill(each.name, skill))
}

/** Whether two references name one skill, whatever their versions. */
export function isSameSkill(a: string, b: string): boolean {
  return splitReference(a)[0] === splitReference(b)[0]
}
