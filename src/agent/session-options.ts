import { LOAD_MODES, type LoadMode } from '../core/skill-context/session-state.ts'
import { PLACEMENTS, type Placement } from '../core/skill-context/place-parts.ts'
import { SkillsError } from '../errors.ts'
import type { ToolActivation } from './activation.ts'
import type { SkillFilter, SkillHost } from './host.ts'
import type { OverviewOptions } from '../core/skill-context/prompt/overview.ts'
import type { ToolChoice } from './profiles.ts'

/** Characters of a name that the caller gives. */
const MAX_NAME_CHARACTERS = 256

/** How skills are given to one agent. */
export interface AgentSessionOptions {
  /** Where the skills are: `localHost(runtime)` or `remoteHost(client)`. */
  host: SkillHost
  /** Names the conversation; commands of skills share a workspace under it. */
  id?: string
  /** Which agent of the conversation this is; each has loads of its own. */
  agent?: string
  /** A profile, or exactly these tools. `knowledge_only` unless given. */
  tools?: ToolChoice
  /** What a model is told of tools, by their names, in place of what they say of themselves. */
  descriptions?: Readonly<Record<string, string>>
  /** False lets commands of a skill run that was never loaded. */
  requireLoaded?: boolean
  /** How long a load stays: for the turn unless given. */
  loadMode?: LoadMode
  /** Where loaded content stands: beside the call that asked for it unless given. */
  placement?: Placement
  /** At most so many skills are loaded; the one that was touched longest ago gives way. */
  maxLoaded?: number
  /** False leaves the list of skills out. */
  overview?: OverviewOptions | false
  /** Says with a message of the user which skill clearly fits it. Nothing unless set. */
  recommend?: boolean
  /** False leaves it out, a text replaces it. */
  guidance?: boolean | string
  /** Hides skills from this agent: from the list, and from every tool. */
  filter?: SkillFilter
  /** Tools of the application that appear with skills. */
  activations?: readonly ToolActivation[]
  /** What `session.state` gave before: the session goes on from there. */
  state?: unknown
}

/** Refuses what cannot be meant, when the session is made and not in the middle of a conversation. */
export function checkSessionOptions(options: AgentSessionOptions): void {
  const { loadMode, placement, maxLoaded, overview } = options
  checkName('id', options.id)
  checkName('agent', options.agent)
  checkChoice('loadMode', loadMode, LOAD_MODES)
  checkChoice('placement', placement, PLACEMENTS)
  checkCount('maxLoaded', maxLoaded)
  checkCount('overview.max', overview === false ? undefined : overview?.max)
}

/** Refuses to describe what no model is offered. */
export function checkDescriptions(
  descriptions: AgentSessionOptions['descriptions'],
  tools: { has(name: string): boolean },
): void {
  const unknown = Object.keys(descriptions ?? {}).find((name) => !tools.has(name))
  if (unknown !== undefined) {
    throw invalidSessionOption(`descriptions names "${unknown}", which is no tool of it`)
  }
}

function checkChoice(name: string, value: string | undefined, known: readonly string[]): void {
  if (value === undefined || known.includes(value)) return
  throw invalidSessionOption(`${name} is "${value}", expected ${known.join(', ')}`)
}

function checkName(name: string, value: string | undefined): void {
  if (value === undefined || (value.trim() !== '' && value.length <= MAX_NAME_CHARACTERS)) return
  throw invalidSessionOption(
    `${name} has ${value.length} characters, expected 1 to ${MAX_NAME_CHARACTERS}, not all blank`,
  )
}

/** Zero is no limit, as it is elsewhere. */
function checkCount(name: string, value: number | undefined): void {
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return
  throw invalidSessionOption(`${name} is ${value}, expected a whole number`)
}

function invalidSessionOption(reason: string): SkillsError {
  return new SkillsError('usage/invalid', `Cannot make the session of an agent: ${reason}`)
}
