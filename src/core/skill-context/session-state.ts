import { splitReference } from '../skills/reference.ts'
/** Skills that the agents of a session have loaded: plain data, safe to store as JSON. */
export interface SessionState {
  version: 1
  agents: AgentLoads[]
  /** Id of the conversation, in the state of a library's session. */
  id?: string
  /** Files that the program added to the conversation. */
  files?: StagedFileState[]
  /** Undefined in the state of a library's session. */
  owner?: SessionOwner
}

/** Name of a session, and the caller that created it. */
export interface SessionOwner {
  session: string
  /** Undefined for the local user. */
  caller?: string
  /** Key that distinguishes callers of the same name. */
  principal?: string
  /** Entry point: cli, http, mcp or library. */
  door?: string
}

/** A file in the workspace of a conversation. */
export interface StagedFileState {
  /** Identifies the file among those of the conversation. */
  key: string
  /** Id under which the workspace has the file. */
  id: string
  name?: string
  path: string
  originalName?: string
  mimeType: string
  sizeBytes: number
}

/** Loads of one agent; agents that share a session have separate loads. */
export interface AgentLoads {
  agent: string
  /** Sorted from the least to the most recently used. */
  skills: SkillLoad[]
  /** Parts to show in requests, in the order of their requests: new ones are only appended. */
  parts: LoadedPart[]
  /** Names of skills that were loaded since the turn started. */
  fresh: string[]
  /** Load mode that a remote caller set; library users set it per session. */
  mode?: LoadMode
  /** Maximum number of loaded skills, set by a remote caller. */
  maxLoaded?: number
  /** Name of the current turn, set by a remote caller. */
  turn?: string
  /** Names of the last ended turns, the newest last. */
  ended?: string[]
  /** The turn whose declared loads were applied. */
  declared?: string
}

export const LOAD_MODES = ['turn', 'once', 'session'] as const
/** Lifetime of a load: one turn, one request, or until it is unloaded. */
export type LoadMode = (typeof LOAD_MODES)[number]

export interface SkillLoad {
  name: string
  /** True if its parts are part of requests. */
  loaded: boolean
  /** True if it was loaded at any time in this session, so its commands may run. */
  read: boolean
  /** Selected documents, in the skill's order; "*" is all of them. */
  docs: '*' | string[]
}

/** A body or a document, and the tool call that requested it. */
export interface LoadedPart {
  skill: string
  /** Null is the body. */
  doc: string | null
  /** Digest of the text at the time of loading. */
  digest: string
  /** Id of the requesting tool call; null if it was loaded without one. */
  call: string | null
  /** In mode "once": length of the conversation that first showed the part. */
  shownAt?: number
}

export const DEFAULT_AGENT = 'default'

export function createSessionState(): SessionState {
  return { version: 1, agents: [] }
}

function createAgentLoads(agent: string): AgentLoads {
  return { agent, skills: [], parts: [], fresh: [] }
}

/** Loads of one agent; empty if it never loaded a skill. */
export function getAgentLoads(state: SessionState, agent: string): AgentLoads {
  return state.agents.find((each) => each.agent === agent) ?? createAgentLoads(agent)
}

/** Agents that a session retains; the least recently changed one is dropped. */
const MAX_AGENTS = 1000

/** Replaces the loads of one agent, which becomes the most recently changed one. */
export function replaceAgentLoads(state: SessionState, loads: AgentLoads): SessionState {
  const others = state.agents.filter((each) => each.agent !== loads.agent)
  return { ...state, agents: [...others, loads].slice(-MAX_AGENTS) }
}

/** Names of the skills in requests, from the least to the most recently used. */
export function listLoadedSkills(loads: AgentLoads): string[] {
  return loads.skills.filter((each) => each.loaded).map((each) => each.name)
}

/** True if an agent loaded any version of a skill, so that its commands may run. */
export function hasReadSkill(loads: AgentLoads, skill: string): boolean {
  return loads.skills.some((each) => each.read && isSameSkill(each.name, skill))
}

/** True if two references name the same skill, in any version. */
export function isSameSkill(a: string, b: string): boolean {
  return splitReference(a)[0] === splitReference(b)[0]
}
