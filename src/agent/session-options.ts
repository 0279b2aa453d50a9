import { LOAD_MODES, type LoadMode } from '../core/skill-context/session-state.ts'
import { PLACEMENTS, type Placement } from '../core/skill-context/place-parts.ts'
import { SkillsError } from '../errors.ts'
import type { ToolActivation } from './activation.ts'
import type { FileDownloader } from './files/download-file.ts'
import type { SessionFile } from './files/session-file.ts'
import type { CallValuesFunction } from './call-values.ts'
import type { SkillFilter, SkillHost } from './host.ts'
import type { OverviewOptions } from '../core/skill-context/prompt/overview.ts'
import type { SavedSessionArtifact } from './session-artifacts.ts'
import type { ToolChoice } from './profiles.ts'

/** Limit for names passed by the caller. */
const MAX_NAME_CHARACTERS = 256

/** Options of one agent's session. */
export interface AgentSessionOptions {
  /** Source of the skills: `localHost(runtime)` or `remoteHost(client)`. */
  host: SkillHost
  /** Id of the conversation; commands of skills share a workspace under it. */
  id?: string
  /** Name of the agent in the conversation; each agent has its own loads. */
  agent?: string
  /** A profile or an exact list of tools. Default: `knowledge`. */
  tools?: ToolChoice
  /** Descriptions by tool name, instead of the default ones. */
  descriptions?: Readonly<Record<string, string>>
  /** False allows commands of skills that were not loaded. */
  requireLoaded?: boolean
  /** Lifetime of a load. Default: the turn. */
  loadMode?: LoadMode
  /** Position of loaded content. Default: next to the call that loaded it. */
  placement?: Placement
  /** Maximum number of loaded skills; the least recently used one is unloaded. */
  maxLoaded?: number
  /** False omits the list of skills. */
  overview?: OverviewOptions | false
  /** Adds a recommendation to user messages that clearly match one skill. Default: false. */
  recommend?: boolean
  /** False omits the guidance; a text replaces it. */
  guidance?: boolean | string
  /** Hides skills from this agent, in the list and for every tool. */
  filter?: SkillFilter
  /** Tools of the application that appear with skills. */
  activations?: readonly ToolActivation[]
  /** Files of the conversation, copied into its workspace. */
  files?: readonly SessionFile[]
  /** Downloads files of messages that have only an address or an id. Default: none is downloaded. */
  downloader?: FileDownloader
  /** Called with each version of an artifact that a tool saves, before its answer is returned. */
  onArtifact?: (artifact: SavedSessionArtifact) => void | Promise<void>
  /** Gives secrets to a call that starts a run, which gets those that its skills declare. */
  secrets?: CallValuesFunction
  /** Gives environment variables to a call that starts a run. */
  environment?: CallValuesFunction
  /** The `state` of an earlier session, which this one continues. */
  state?: unknown
}

/** Rejects invalid options when the session is created, not later in a conversation. */
export function checkSessionOptions(options: AgentSessionOptions): void {
  const { loadMode, placement, maxLoaded, overview } = options
  checkName('id', options.id)
  checkName('agent', options.agent)
  checkChoice('loadMode', loadMode, LOAD_MODES)
  checkChoice('placement', placement, PLACEMENTS)
  checkCallValues(options)
  checkCount('maxLoaded', maxLoaded)
  checkCount('overview.max', overview === false ? undefined : overview?.max)
}

/** Rejects descriptions of tools that the session does not offer. */
export function checkDescriptions(
  descriptions: AgentSessionOptions['descriptions'],
  tools: { has(name: string): boolean },
): void {
  const unknown = Object.keys(descriptions ?? {}).find((name) => !tools.has(name))
  if (unknown !== undefined) {
    throw invalidSessionOptionError(
      `descriptions contains "${unknown}", which is not a tool of this session`,
    )
  }
}

function checkChoice(name: string, value: string | undefined, choices: readonly string[]): void {
  if (value === undefined || choices.includes(value)) return
  throw invalidSessionOptionError(`${name} is "${value}", expected ${choices.join(', ')}`)
}

function checkName(name: string, value: string | undefined): void {
  if (value === undefined || (value.trim() !== '' && value.length <= MAX_NAME_CHARACTERS)) return
  throw invalidSessionOptionError(
    `${name} has ${value.length} characters, expected 1 to ${MAX_NAME_CHARACTERS} with a non-blank one`,
  )
}

/** A remote runtime has secrets of its own. */
function checkCallValues(options: AgentSessionOptions): void {
  for (const name of ['secrets', 'environment'] as const) {
    const value: unknown = options[name]
    if (value === undefined) continue
    if (typeof value !== 'function') {
      throw invalidSessionOptionError(`${name} is not a function, expected (call) => values`)
    }
    if (options.host.takesCallValues === true) continue
    throw invalidSessionOptionError(
      `${name} cannot be given to a remote runtime, whose operator provides them`,
    )
  }
}

/** Zero means unlimited, as in other settings. */
function checkCount(name: string, value: number | undefined): void {
  if (value === undefined || (Number.isInteger(value) && value >= 0)) return
  throw invalidSessionOptionError(`${name} is ${value}, expected a whole number`)
}

function invalidSessionOptionError(reason: string): SkillsError {
  return new SkillsError('usage/invalid', `Cannot create the agent session: ${reason}`)
}
